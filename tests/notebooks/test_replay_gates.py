"""`2_replay_gates.ipynb` runs on a study whose every number is known, and shows those numbers."""

from pathlib import Path

import pytest
from hand_made import HOSTILE, write_study
from nbclient.exceptions import CellExecutionError
from notebook_run import CHART, outputs, run

NOTEBOOK = "2_replay_gates.ipynb"


def test_the_notebook_shows_the_study(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GATES_DATA", str(tmp_path))
    write_study("tiny")
    notebook = run(NOTEBOOK, "tiny")
    replayed, scores, caption, records = outputs(notebook, "text/html")
    assert all(f">{n}<" in replayed for n in (10, 6))
    assert "0.75 (3 of 4)" in scores
    assert "0–6 records a gate" in caption
    assert records.count(">correct<") == 3
    assert records.count(">wrong<") == 1
    assert HOSTILE not in records
    assert len(outputs(notebook, CHART)) == 2
    assert len(outputs(notebook, "image/svg+xml")) == 2


def test_without_scores_it_says_what_to_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GATES_DATA", str(tmp_path))
    (tmp_path / "tiny").mkdir()
    with pytest.raises(CellExecutionError) as stopped:
        run(NOTEBOOK, "tiny")
    assert stopped.value.ename == "InputError"
    assert stopped.value.evalue.endswith("run `gates score --study tiny`")
