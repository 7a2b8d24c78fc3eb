"""Ranks under other truths, and recall without a gate's own finds."""

import polars as pl
import pytest

from analysis.score import evaluated
from analysis.stability import by_truth, rank_changes, without_own
from tests.hand_made import point as row
from tests.hand_made import points
from tests.scored import scored, study


def test_ranks_are_within_a_truth_and_changes_are_listed():
    table = by_truth(
        points(
            row(gate="a", precision=0.9, recall=0.1),
            row(gate="b", precision=0.8, recall=0.2),
            row(gate="c", precision=None, recall=0.1),
            row(gate="a", variant="annotator:x", precision=0.7, recall=0.1),
            row(gate="b", variant="annotator:x", precision=0.8, recall=0.2),
            row(gate="c", variant="annotator:x", precision=0.8, recall=0.1),
            row(gate="a", variant="matching:strict", precision=0.1),
        )
    )
    ranks = {
        (r["variant"], r["gate"]): (r["precision_rank"], r["recall_rank"]) for r in table.to_dicts()
    }
    assert ranks == {
        ("headline", "a"): (1, 2),
        ("headline", "b"): (2, 1),
        ("headline", "c"): (None, 2),
        ("annotator:x", "a"): (3, 2),
        ("annotator:x", "b"): (1, 1),
        ("annotator:x", "c"): (1, 2),
    }
    said = rank_changes(table)
    assert (
        "a/default is number 3 by precision under annotator:x, number 1 under the headline" in said
    )
    assert len(said) == 3


def test_nothing_changes_where_annotators_agree():
    found = scored([{"decision": "accepted"}], [{"card": 0}])
    assert rank_changes(by_truth(found.operating_points())) == []


CARDS = [
    {"decision": "accepted"},
    {"decision": "accepted"},
    {"decision": "accepted", "strata": ["proposed", "sampled"]},
    {"decision": "accepted", "strata": ["sampled"]},
]


@pytest.mark.parametrize(
    ("records", "before", "after", "own"),
    [
        ([(0, "x"), (1, "x"), (1, "y")], 0.5, 1 / 3, 1),  # c0 is x's own, c1 is not
        ([(0, "x"), (2, "x")], 0.5, 1 / 3, 1),  # c2 was sampled, too
        ([(0, "x"), (0, "everything")], 0.25, 0, 1),  # a yardstick fills no pool
        ([(1, "y")], 0.0, 0.0, 0),
    ],
)
def test_a_gate_s_own_finds_are_left_out(records, before, after, own):
    made = [{"card": n, "gate": gate} for n, gate in [*records, (3, "z")]]
    tables = study(CARDS, [*made, {"card": None, "gate": "x"}])
    slices = [one for one in evaluated(tables, "all").slices() if one.ground.gate == "x"]
    shown = (slices, tables["candidates"], tables["proposals"])
    (found,) = without_own(*shown, pl.Series([], dtype=pl.String)).to_dicts()
    assert found["recall"] == pytest.approx(before)
    assert found["recall_without_own"] == pytest.approx(after)
    assert found["own_facts"] == own
    (read_whole,) = without_own(*shown, pl.Series(["s1"])).to_dicts()
    assert (read_whole["own_facts"], read_whole["recall_without_own"]) == (0, found["recall"])
