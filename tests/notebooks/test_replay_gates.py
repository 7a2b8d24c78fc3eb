"""`2_replay_gates.ipynb` runs on a study whose every number is known, and shows those numbers."""

import time
from pathlib import Path

import nbformat
import pytest
from hand_made import HOSTILE, write_study
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "2_replay_gates.ipynb"


def run(monkeypatch: pytest.MonkeyPatch, data: Path, study: str) -> nbformat.NotebookNode:
    """The notebook, executed on a study in `data`."""
    monkeypatch.setenv("GATES_DATA", str(data))
    monkeypatch.setenv("GATES_STUDY", study)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = NotebookClient(notebook, timeout=60, resources={"metadata": {"path": NOTEBOOK.parent}})
    return client.execute()


def outputs(notebook: nbformat.NotebookNode, kind: str) -> list[str]:
    """Everything shown as one MIME type, in order."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    shown = [output for cell in cells for output in cell.outputs]
    return [output.data[kind] for output in shown if kind in output.get("data", {})]


def test_the_notebook_shows_the_study(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GATES_DATA", str(tmp_path))
    write_study("tiny")
    began = time.monotonic()
    notebook = run(monkeypatch, tmp_path, "tiny")
    assert time.monotonic() - began < 20
    replayed, scores, caption, records = outputs(notebook, "text/html")
    assert all(f">{n}<" in replayed for n in (10, 6))
    assert "0.75 (3 of 4)" in scores
    assert "0–6 records a gate" in caption
    assert records.count(">correct<") == 3
    assert records.count(">wrong<") == 1
    assert HOSTILE not in records
    assert len(outputs(notebook, "application/vnd.vegalite.v5+json")) == 2
    assert len(outputs(notebook, "image/svg+xml")) == 2


def test_without_scores_it_says_what_to_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "tiny").mkdir()
    with pytest.raises(CellExecutionError) as stopped:
        run(monkeypatch, tmp_path, "tiny")
    assert stopped.value.ename == "InputError"
    assert stopped.value.evalue.endswith("run `gates score --study tiny`")
