"""The table `agreement`, made from labels."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelling.agreement import agreement_rows, gwet_ac1, krippendorff_alpha, statistics
from labelling.tables import check, frame

CASES = [f"c{i}" for i in range(8)]
ANNOTATORS = ["ann", "answer", "candidate_id"]  # names of columns do no harm
ANSWERS = ("yes", "until", "no")


def labels(answers):
    """A `labels` table of (candidate, annotator, durable); the other two answers are yes."""
    fixed = {"status": "submitted", "occasion": 0, "round": 1, "pilot": False}
    fixed |= {"guidelines_version": "g", "submitted_at": datetime(2026, 1, 1, tzinfo=UTC)}
    return frame(
        "labels",
        [
            {**fixed, "candidate_id": c, "annotator": who, "question": question, "answer": answer}
            for c, who, durable in answers
            for question, answer in [
                ("durable", durable),
                ("well_evidenced", "yes"),
                ("scope_ok", "yes"),
            ]
        ],
    )


def candidates(**strata):
    fixed = {"session_id": "s", "turn": 0, "quote": "q", "statement": "x", "round": 1}
    fixed |= {"evidence": [], "proposal_ids": []}
    return frame(
        "candidates",
        [{**fixed, "candidate_id": c, "strata": [stratum]} for c, stratum in strata.items()],
    )


def value_of(rows, **wanted):
    (row,) = [row for row in rows.iter_rows(named=True) if wanted.items() <= row.items()]
    return row["value"], row["n"], row["excluded"], row["reason"]


def test_the_table_has_every_statistic_by_question_stratum_and_pair():
    given = [("c1", "ann", "yes"), ("c1", "bob", "yes"), ("c2", "ann", "yes"), ("c2", "bob", "no")]
    given += [("c3", "ann", "no"), ("c3", "bob", "no"), ("c4", "ann", "no"), ("c5", "bob", "until")]
    pool = candidates(c1="proposed", c2="proposed", c3="sampled", c4="sampled", c5="proposed")
    rows = agreement_rows(labels(given), pool)
    assert not check("agreement", rows).bad.height
    # questions x statistics x (three strata and a week of all pairs, and of the one)
    assert rows.height == 4 * 12 * (4 + 4)
    assert set(rows["stratum"]) == {"proposed", "all", "sampled", "time:2026-W01"}
    write = {"question": "write", "statistic": "percent_agreement"}
    assert value_of(rows, **write, stratum="all", annotator_a="ann") == (2 / 3, 3, 2, None)
    assert value_of(rows, **write, stratum="all", annotator_a=None) == (2 / 3, 3, 2, None)
    assert value_of(rows, **write, stratum="proposed", annotator_a=None) == (1 / 2, 2, 1, None)
    durable = {"question": "durable", "stratum": "all", "annotator_a": None}
    value, *_, reason = value_of(rows, **durable, statistic="pabak")
    assert (value, reason) == (None, "it is defined for two answers; 3 were offered")


def test_three_annotators_give_three_pairs_and_one_alpha():
    given = [("c1", who, "yes") for who in "abc"] + [("c2", "a", "no"), ("c2", "b", "no")]
    given += [("c3", "a", "yes"), ("c3", "c", "no")]
    rows = agreement_rows(labels(given), candidates(c1="added", c2="added", c3="added"))
    write = {"question": "write", "stratum": "all"}
    pairs = rows.filter(question="write", stratum="all", statistic="scott_pi")
    assert pairs.select("annotator_a", "annotator_b").rows() == [
        (None, None),
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    percent = value_of(rows, **write, statistic="percent_agreement", annotator_a=None)
    assert percent == (4 / 5, 5, 0, None)  # three pairs on c1, one on c2, one split on c3
    ratings = {"a": ["yes", "no", "yes"], "b": ["yes", "no", None], "c": ["yes", None, "no"]}
    alpha = value_of(rows, **write, statistic="krippendorff_alpha_nominal", annotator_a=None)
    assert alpha[0] == pytest.approx(krippendorff_alpha(ratings))


def test_nobody_answered():
    rows = agreement_rows(labels([]), candidates(c1="added"))
    assert set(rows["value"]) == {None}
    assert set(rows["reason"]) == {"no unit has two answers"}


@settings(deadline=None, max_examples=30)
@given(
    st.dictionaries(
        st.tuples(st.sampled_from(CASES), st.sampled_from(ANNOTATORS)), st.sampled_from(ANSWERS)
    )
)
def test_the_table_says_what_the_lists_of_answers_say(said):
    pool = candidates(**dict.fromkeys(CASES, "added"))
    rows = agreement_rows(labels([(c, who, answer) for (c, who), answer in said.items()]), pool)
    rows = rows.filter(question="durable", stratum="all")
    units = [[said.get((c, who)) for who in ANNOTATORS] for c in CASES]

    several = [u for u in units if u.count(None) < 2]
    ratings = {who: [u[i] for u in several] for i, who in enumerate(ANNOTATORS)}
    together = {"krippendorff_alpha_nominal": krippendorff_alpha(ratings)}
    together["gwet_ac1"] = gwet_ac1(ratings, ANSWERS)
    for statistic, expected in together.items():
        value, *_ = value_of(rows, annotator_a=None, statistic=statistic)
        assert value == pytest.approx(expected, abs=1e-12)

    answered = [u[:2] for u in units if any(u[:2])]
    pair = statistics([a for a, _ in answered], [b for _, b in answered], ANSWERS)
    for row in rows.filter(annotator_a="ann", annotator_b="answer").iter_rows(named=True):
        assert row["value"] == pytest.approx(getattr(pair, row["statistic"]), abs=1e-12)
        assert (row["n"], row["excluded"]) == (pair.n, pair.excluded)
