"""`gates compare` on a small study: what it prints, what it refuses, what it counts."""

import polars as pl
import pytest

from analysis.cli import main
from labelling.tables import read, write
from tests.scored import study
from tests.studies import files, one_object, own_data  # noqa: F401

USERS = [{"session_id": f"s{n}", "user_id": f"user {n}"} for n in range(8)]


@pytest.fixture
def compared(data):
    """A loose gate in one setting and a strict one in two; every user has a fact and a trap."""
    cards, records = [], []
    for user in USERS:
        for decision in ("accepted", "rejected"):
            cards.append({"decision": decision, "session_id": user["session_id"]})
            records.append({"card": len(cards) - 1, "gate": "loose"})
        records += [{"card": len(cards) - 2, "gate": "strict", "setting": s} for s in "ab"]
    records.append({"card": 0, "gate": "put-in", "basis": "simulated"})
    made = study(cards, records, USERS)
    put_in = pl.when(pl.col("gate") == "put-in").then(pl.lit("simulated")).otherwise("basis")
    made["gate_turns"] = made["gate_turns"].with_columns(basis=put_in)
    for name, table in made.items():
        write("study", name, table)
    return data


def run(*words):
    return main(["compare", *words, "--study", "study", "--split", "all"])


def test_two_gates_side_by_side(compared, capsys):
    before = files(compared)
    assert run("loose", "strict/a", "strict/b", "--json") == 0
    found = one_object(capsys.readouterr().out)
    assert len(found["differences"]) == 9
    assert found["ordering"]["order"][0] == "loose/default"
    assert len(found["steps"]) == 2
    assert {row["variant"] for row in found["by_truth"]} == {
        *("headline", "annotator:a0", "annotator:a1", "either")
    }
    assert found["test_scorings"] == 1
    written = files(compared)
    written.pop("study/test-scorings.json")
    written.pop("study/.lock", None)
    assert written == before


def test_it_reads_as_text(compared, capsys):
    assert run("loose", "strict/a") == 0
    text = capsys.readouterr().out
    for part in (
        "loose/default -> strict/a\n    precision: +0.50 (",
        "From loose/default to strict/a costs 0.0 points of recall",
        "By falling recall: loose/default, strict/a. As observed, precision ",
        "no rank changes",
        "No recall rests on facts that only the gate itself brought into the pool.",
    ):
        assert part in text


def test_without_names_all_gates_that_are_no_yardsticks_and_not_put_in(compared, capsys):
    assert run("--json") == 0
    order = one_object(capsys.readouterr().out)["ordering"]["order"]
    assert sorted(order) == ["loose/default", "strict/a", "strict/b"]


def test_truths_are_compared_on_the_sessions_that_all_gates_covered(compared, capsys):
    """A gate that covers half the users is no better for having covered the easier half."""
    some = [user["session_id"] for user in USERS[:4]]
    for name in ("proposals", "gate_turns"):
        table = read("study", name)
        here = pl.col("session_id").is_in(some)
        copy = table.filter(pl.col("gate") == "loose", here).with_columns(gate=pl.lit("half"))
        if name == "proposals":
            copy = copy.with_columns(proposal_id=pl.col("proposal_id").str.reverse())
        recorded = {"basis": pl.lit("recorded")} if name == "gate_turns" else {}
        write("study", name, pl.concat([table, copy.with_columns(**recorded)]))
    both = pl.concat_list(
        "proposal_ids", pl.col("proposal_ids").list.eval(pl.element().str.reverse())
    )
    write("study", "candidates", read("study", "candidates").with_columns(proposal_ids=both))
    assert run("loose", "half", "--json") == 0
    found = one_object(capsys.readouterr().out)
    assert found["rank_changes"] == []
    assert {row["recall_rank"] for row in found["by_truth"]} == {1}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["loose"], "loose/default cannot be compared alone; expected two or more of: loose"),
        (["loose", "loose/default"], "loose/default cannot be compared alone"),
        (["loose", "strict"], "'strict' has several settings; expected one of: strict/a, strict/b"),
        (["loose", "lose"], "no gate 'lose'; expected one of: loose/default, put-in/default"),
        (["loose", "put-in"], "gate put-in/default is simulated"),
    ],
)
def test_what_cannot_be_compared_is_refused(compared, words, sentence, capsys):
    assert run(*words) == 1
    assert sentence in capsys.readouterr().err
