"""What holds for any study, in every variant, at every threshold."""

import math

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.curve import curve
from analysis.points import point
from analysis.score import evaluated
from analysis.store import store_check
from labelling.tables import check, frame
from tests.scored import study

SESSIONS = [
    {"session_id": s, "user_id": u} for s, u in (("s1", "ann"), ("s2", "ann"), ("s3", "ben"))
]
cards = st.lists(
    st.fixed_dictionaries(
        {
            "decision": st.sampled_from(["accepted", "rejected", "disputed", "unjudged"]),
            "session_id": st.sampled_from(["s1", "s2", "s3"]),
            "inclusion_probability": st.sampled_from([1.0, 0.5, 0.3]),
        },
        optional={"slot": st.just("warehouse"), "value": st.sampled_from(["BigQuery", "Redshift"])},
    ),
    max_size=6,
)
records = st.lists(
    st.fixed_dictionaries(
        {
            "card": st.integers(0, 5),
            "score": st.sampled_from([None, 0.0, 0.5, 1.0]),
            "turn": st.sampled_from([0, 2, 4]),
            "gate": st.sampled_from(["x", "y"]),
            "verdict": st.sampled_from(["admit", "admit", "known", "confirm"]),
            "scope": st.sampled_from(["global", None]),
        }
    ),
    max_size=8,
)


def drawn(cards, records):
    kept = [{**r, "card": r["card"] if r["card"] < len(cards) else None} for r in records]
    return study(cards, [*kept, {"card": None, "verdict": "log"}], SESSIONS)


def rows(scored):
    """Every row of every variant, and of the curves."""
    yield from scored.operating_points().to_dicts()
    for one in scored.slices():
        yield from curve(one).to_dicts()


@settings(max_examples=25, deadline=None)
@given(cards, records)
def test_null_always_has_its_reason_and_nothing_is_not_a_number(cards, records):
    scored = evaluated(drawn(cards, records), "all")
    assert check("operating_points", scored.operating_points()).bad.is_empty()
    for row in rows(scored):
        said = {one["column"] for one in row["reasons"]}
        assert {c for c, v in row.items() if v is None} - {"threshold"} <= said
        assert all(math.isfinite(v) for v in row.values() if isinstance(v, float))
    stores = [row for one in scored.slices() for row in store_check(one)]
    assert check("store_check", frame("store_check", stores)).bad.is_empty()


@settings(max_examples=20, deadline=None)
@given(cards, records, st.integers(0, 99))
def test_the_order_of_rows_changes_nothing(cards, records, seed):
    tables = drawn(cards, records)
    shuffled = {n: t.sample(fraction=1, shuffle=True, seed=seed) for n, t in tables.items()}
    one, other = (evaluated(each, "all") for each in (tables, shuffled))
    for first, second in zip(rows(one), rows(other), strict=True):
        assert first.pop("reasons") == second.pop("reasons")
        assert first == pytest.approx(second)
    captures = [each.headline.judged.captures.sort("proposal_id") for each in (one, other)]
    assert captures[0].equals(captures[1])


@settings(max_examples=20, deadline=None)
@given(cards.filter(lambda cards: any(c["decision"] == "accepted" for c in cards)))
def test_a_reference_against_itself_scores_1(cards):
    facts = [{**c, "decision": "accepted"} for c in cards]
    scored = evaluated(study(facts, [{"card": n} for n in range(len(facts))], SESSIONS), "all")
    for row in scored.operating_points().to_dicts():
        assert (row["precision"], row["recall"], row["fact_precision"]) == (1, 1, 1)


@settings(max_examples=20, deadline=None)
@given(cards, records)
def test_an_agreed_negative_that_nobody_wrote_changes_neither_precision_nor_recall(cards, records):
    negative = {"decision": "rejected", "statement": "Of its own.", "session_id": "s1"}
    # in front, the number of every card would change
    made = [r for r in records if r["card"] < len(cards)]
    before = evaluated(drawn(cards, made), "all").operating_points()
    after = evaluated(drawn([*cards, negative], made), "all").operating_points()
    shown = ["variant", "gate", "precision", "recall", "recall_low", "recall_high"]
    both = before.select(shown).join(after.select(shown), on=["variant", "gate"], suffix="_after")
    for row in both.to_dicts():
        for column in shown[2:]:
            assert row[column] == pytest.approx(row[f"{column}_after"])


@settings(max_examples=20, deadline=None)
@given(cards, records)
def test_lenient_matching_only_adds_captures_and_strict_only_takes_them_away(cards, records):
    scored = evaluated(drawn(cards, records), "all")
    named = {view.variant: view for view in scored.views}
    strict, default, lenient = (
        list(scored.slices(named[name]))
        for name in ("matching:strict", "headline", "matching:lenient")
    )
    for low, middle, high in zip(strict, default, lenient, strict=True):
        captured = [point(one)["captured_facts"] for one in (low, middle, high)]
        assert captured == sorted(captured)


@settings(max_examples=20, deadline=None)
@given(cards, records)
def test_removing_a_person_leaves_the_others_records_as_they_were(cards, records):
    tables = drawn(cards, records)
    kept = {
        name: table.filter(pl.col("session_id") != "s3") if "session_id" in table.columns else table
        for name, table in tables.items()
    }
    gone = set(tables["candidates"].filter(pl.col("session_id") == "s3")["candidate_id"])
    kept["labels"] = kept["labels"].filter(~pl.col("candidate_id").is_in(list(gone)))
    whole, fewer = (
        evaluated(each, "all").headline.judged.captures.sort("proposal_id")
        for each in (tables, kept)
    )
    assert whole.join(fewer, on="proposal_id", how="semi").equals(fewer)
