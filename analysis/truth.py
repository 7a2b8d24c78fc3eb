"""Labels -> what is taken for true: one truth a variant of `operating_points`, scored by one code.

`headline`: what two people agreed on. `annotator:<id>`: that annotator's answers alone. `either`:
what anybody would write. `adjudicated`: as the headline, but for what a judge settled. A truth of
a single annotator disputes nothing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from labelling.tables import fact_key
from labelling.tables.decisions import (
    WHOLE_READING,
    annotator_decisions,
    counted,
    decisions,
    settled,
)
from labelling.tables.marks import judged_whole, unsettled

HEADLINE = "headline"
ADJUDICATED = "adjudicated"

Tables = Mapping[str, pl.DataFrame]


@dataclass(frozen=True)
class Truth:
    """What one variant takes for true.

    `decided` {candidate_id, decision}: accepted, rejected, disputed, unjudged; `facts` and
    `disputed` {fact_id (= candidate_id), fact_key, session_id, weight?}, `facts` with
    evidence_form?; `whole`: sessions read whole; `kind` of the reference: own or corpus.
    """

    variant: str
    decided: pl.DataFrame
    facts: pl.DataFrame
    disputed: pl.DataFrame
    whole: pl.Series
    kind: str = "own"


def truths(tables: Tables) -> Iterator[Truth]:
    """The headline, then every other truth that the labels hold.

    `tables` has candidates, labels, sessions and reference_facts.
    """
    first = headline(tables)
    yield first
    votes = annotator_decisions(tables["labels"], tables["candidates"])
    people = votes["annotator"].unique().sort().to_list()
    for person in people:
        yield _of_one(tables, votes, person)
    if len(people) > 1:
        yield _of_either(tables, votes)
    if (after := _adjudicated(tables, first)) is not None:
        yield _truth(tables, ADJUDICATED, after, first.whole, first)


def headline(tables: Tables) -> Truth:
    """What two people agreed on, as `reference_facts` has it; a corpus's facts where there is none.

    Adjudicated facts do not count here.
    """
    facts = tables["reference_facts"]
    own = facts.filter(pl.col("source").is_in(["agreed", "corrected"]))
    corpus = facts.filter(pl.col("source") == "corpus")
    kind, chosen = ("corpus", corpus) if own.is_empty() and corpus.height else ("own", own)
    decided = decisions(tables["labels"], tables["candidates"])
    known = pl.col("candidate_id").is_in(chosen["fact_id"].implode())
    taken = pl.when((pl.col("decision") == "unjudged") & known).then(pl.lit("accepted"))
    decided = decided.select("candidate_id", decision=taken.otherwise("decision"))
    return Truth(
        HEADLINE,
        decided,
        chosen.select("fact_id", "fact_key", "session_id", "weight", "evidence_form"),
        _facts(tables, decided, "disputed"),
        pl.Series(judged_whole(tables["labels"], tables["candidates"]), dtype=pl.String),
        kind,
    )


def _of_one(tables: Tables, votes: pl.DataFrame, person: str) -> Truth:
    mine = votes.filter(pl.col("annotator") == person)
    decision = pl.when("write").then(pl.lit("accepted")).otherwise(pl.lit("rejected"))
    rows = counted(tables["labels"]).filter(
        pl.col("annotator") == person,
        pl.col("question") == WHOLE_READING,
        pl.col("answer") == "yes",
        ~pl.col("candidate_id").is_in(list(unsettled(tables["labels"], tables["candidates"]))),
    )
    whole = rows["candidate_id"].unique().sort()
    decided = mine.select("candidate_id", decision=decision)
    return _truth(tables, f"annotator:{person}", decided, whole)


def _of_either(tables: Tables, votes: pl.DataFrame) -> Truth:
    """Accepted where anybody would write, rejected where two or more would not."""
    some = votes.group_by("candidate_id").agg(pl.col("write").any(), two=pl.len() > 1)
    decision = pl.when("write").then(pl.lit("accepted")).when("two").then(pl.lit("rejected"))
    decided = some.select("candidate_id", decision=decision).drop_nulls().sort("candidate_id")
    whole = pl.Series(judged_whole(tables["labels"], tables["candidates"]), dtype=pl.String)
    return _truth(tables, "either", decided, whole)


def _adjudicated(tables: Tables, first: Truth) -> pl.DataFrame | None:
    """The headline's decisions with those of judges where they agree; None without any."""
    judged = settled(tables["labels"], tables["candidates"])
    if judged.is_empty():
        return None
    decision = pl.when("write").then(pl.lit("accepted")).otherwise(pl.lit("rejected"))
    return first.decided.update(judged.select("candidate_id", decision=decision), on="candidate_id")


def _truth(
    tables: Tables,
    variant: str,
    decided: pl.DataFrame,
    whole: pl.Series,
    first: Truth | None = None,
) -> Truth:
    """The truth of these decisions; facts of a truth that it extends stay as they are there."""
    facts = _facts(tables, decided, "accepted")
    if first is not None:
        new = facts.join(first.facts, on="fact_id", how="anti")
        facts = pl.concat([first.facts, new.select(first.facts.columns)])
    disputed = _facts(tables, decided, "disputed")
    return Truth(variant, decided, facts, disputed, whole, first.kind if first else "own")


def _facts(tables: Tables, decided: pl.DataFrame, decision: str) -> pl.DataFrame:
    """Candidates with a decision as facts; their form is not looked at."""
    chosen = decided.filter(pl.col("decision") == decision)
    rows = (
        tables["candidates"]
        .join(chosen, on="candidate_id", how="semi", maintain_order="left")
        .join(tables["sessions"].select("session_id", "user_id"), on="session_id")
    )
    said = rows.select("user_id", "statement", "slot", "value", "scope").iter_rows()
    keys = pl.Series("fact_key", [fact_key(*one) for one in said], pl.String)
    weight = 1 / pl.col("inclusion_probability")
    form = pl.lit(None, pl.String)
    return rows.with_columns(keys).select(
        "fact_key", "session_id", fact_id="candidate_id", weight=weight, evidence_form=form
    )
