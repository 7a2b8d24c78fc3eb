"""`2_replay_gates.ipynb` runs on a study whose every number is known, and shows those numbers."""

from pathlib import Path

import pytest
from hand_made import HOSTILE
from nbclient.exceptions import CellExecutionError
from notebook_run import CHART, outputs, run

from analysis.score import score
from labelling.reference import make_reference
from labelling.simulate import World, simulate
from labelling.tables import write
from tests.scored import study
from tests.studies import DEV_USER, own_data  # noqa: F401

NOTEBOOK = "2_replay_gates.ipynb"
DECISIONS = ("accepted", "accepted", "accepted", "rejected", "disputed", None)


def write_small():
    """Heuristic: three right, one wrong, one disputed, one unjudged; confirm: one of two taken."""
    cards = [{"decision": d, "statement": f"{HOSTILE} {n}"} for n, d in enumerate(DECISIONS)]
    wrote = [{"card": n, "turn": 2 * n, "gate": "heuristic"} for n in range(len(cards))]
    asked = [
        {"card": n, "turn": 2 * n, "gate": "confirm", "verdict": verdict}
        for n, verdict in enumerate(("admit", "confirm"))
    ]
    made = study(cards, [*wrote, *asked], sessions=[{"user_id": DEV_USER}])
    for name, table in made.items():
        write("tiny", name, table)
    score("tiny", split="all")


def test_the_notebook_shows_the_study(data):
    write_small()
    notebook = run(NOTEBOOK, "tiny")
    said, replayed, _, scores, bands, caption, hard, kinds, asked, records = outputs(
        notebook, "text/html"
    )
    assert "People agreed on 3 facts" in said
    assert "On 1 candidates people split" in said
    assert replayed.count(">6<") == 2  # proposed and admitted
    assert ">0.75<br>3 of 4<" in scores
    assert ">0.60–0.80 (1)<" in bands
    assert "1–6 records a gate" in caption
    assert "No fact of this study was told obliquely" in hard
    assert ">1.00 (1 of 1)<" in kinds
    assert ">0.20 (2 of 10)<" in asked
    assert ">0.50 (1 of 2)<" in asked
    assert records.count(">correct<") == 3
    assert records.count(">wrong<") == 1
    assert HOSTILE not in records
    assert len(outputs(notebook, CHART)) == 2
    assert len(outputs(notebook, "image/svg+xml")) == 2


def test_a_simulated_study_says_so_everywhere(data):
    simulate("world", World(sessions=20))
    make_reference("world")
    score("world", split="all")
    notebook = run(NOTEBOOK, "world")
    charts = [chart["description"] for chart in outputs(notebook, CHART)]
    for shown in (*outputs(notebook, "text/html"), *charts):
        assert "simulated world with known truth" in shown


def test_without_scores_it_says_what_to_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GATES_DATA", str(tmp_path))
    (tmp_path / "tiny").mkdir()
    with pytest.raises(CellExecutionError) as stopped:
        run(NOTEBOOK, "tiny")
    assert stopped.value.ename == "InputError"
    assert stopped.value.evalue.endswith("run `gates score --study tiny`")
