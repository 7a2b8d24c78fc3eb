"""Each variant's truth: who decides, which facts there are, what stays disputed."""

import polars as pl
import pytest

from analysis.truth import headline, truths
from labelling.reference import reference_facts
from tests.studies import REJECT, WRITE, read_whole, row, rows, votes

CARDS = ("both", "none", "split", "one", "lone")
ANSWERS = {
    "both": (WRITE, WRITE),
    "none": (REJECT, REJECT),
    "split": (WRITE, REJECT),
    "one": (REJECT, WRITE),
    "lone": (REJECT,),
}


def tables(*more, facts=None):
    cards = rows(
        "candidates", *({"candidate_id": name, "statement": f"Is {name}."} for name in CARDS)
    )
    given = [one for name in CARDS for one in votes(name, *ANSWERS[name])]
    labels, sessions = rows("labels", *given, *more), rows("sessions", {})
    facts = reference_facts(labels, cards, sessions) if facts is None else facts
    return {"candidates": cards, "labels": labels, "sessions": sessions, "reference_facts": facts}


def found(*more):
    return {truth.variant: truth for truth in truths(tables(*more))}


def decided(truth):
    return {c: d for c, d in truth.decided.iter_rows() if d != "unjudged"}


def facts(truth):
    return set(truth.facts["fact_id"])


def test_the_headline_is_what_two_people_agree_on():
    truth = found()["headline"]
    assert decided(truth) == {
        **{"both": "accepted", "none": "rejected"},
        **dict.fromkeys(("split", "one"), "disputed"),
    }
    assert facts(truth) == {"both"}
    assert set(truth.disputed["fact_id"]) == {"split", "one"}


def test_one_annotator_alone_disputes_nothing():
    variants = found(*read_whole("s1", "a1"))
    assert facts(variants["annotator:a0"]) == {"both", "split"}
    assert facts(variants["annotator:a1"]) == {"both", "one"}
    assert decided(variants["annotator:a0"])["lone"] == "rejected"
    assert variants["annotator:a0"].disputed.is_empty()
    wholes = {name: truth.whole.to_list() for name, truth in variants.items()}
    assert wholes == {"headline": [], "annotator:a0": [], "annotator:a1": ["s1"], "either": []}


def test_either_takes_what_anybody_would_write():
    truth = found()["either"]
    assert facts(truth) == {"both", "split", "one"}
    assert decided(truth)["none"] == "rejected"
    assert "lone" not in decided(truth)


@pytest.mark.parametrize(
    ("answers", "decision"),
    [(("write",), "accepted"), (("no",), "rejected"), (("yes", "no"), "disputed")],
)
def test_judges_settle_what_was_disputed_where_they_agree(answers, decision):
    said = [
        row("labels", candidate_id="split", annotator=f"j{n}", question="adjudication", answer=a)
        for n, a in enumerate(answers)
    ]
    overruled = {**said[0], "candidate_id": "none", "answer": "write"}
    variants = found(*said, overruled)
    assert decided(variants["headline"]) == decided(found()["headline"])
    if decision == "disputed":
        assert "adjudicated" not in variants
        return
    truth = variants["adjudicated"]
    assert (decided(truth)["split"], decided(truth)["none"]) == (decision, "rejected")
    assert facts(truth) == {"both"} | ({"split"} if decision == "accepted" else set())
    assert set(truth.disputed["fact_id"]) == {"one"}


def test_adjudicated_facts_are_not_the_headline_s_and_a_corpus_stands_in_where_there_is_no_own():
    every = rows(
        "reference_facts",
        *({"fact_id": s, "source": s} for s in ("agreed", "corrected", "adjudicated", "corpus")),
    )
    own = headline(tables(facts=every))
    assert (own.kind, facts(own)) == ("own", {"agreed", "corrected"})
    theirs = headline(tables(facts=every.filter(pl.col("source") == "corpus")))
    assert (theirs.kind, facts(theirs)) == ("corpus", {"corpus"})
    assert headline(tables(facts=every.clear())).kind == "own"


def test_a_corpus_s_fact_is_accepted_where_nobody_answered():
    corpus = rows("reference_facts", {"fact_id": "lone", "source": "corpus"})
    assert decided(headline(tables(facts=corpus)))["lone"] == "accepted"
