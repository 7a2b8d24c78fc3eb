"""Notebooks, run as they are on a study in the data folder of the test."""

import os
from pathlib import Path
from unittest.mock import patch

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
CHART = "application/vnd.vegalite.v5+json"


def run(name: str, study: str) -> nbformat.NotebookNode:
    """The notebook, executed on a study."""
    notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
    client = NotebookClient(notebook, timeout=60, resources={"metadata": {"path": NOTEBOOKS}})
    with patch.dict(os.environ, GATES_STUDY=study):
        return client.execute()


def outputs(notebook: nbformat.NotebookNode, kind: str) -> list[str]:
    """Everything shown as one MIME type, in order."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    shown = [output for cell in cells for output in cell.outputs]
    return [output.data[kind] for output in shown if kind in output.get("data", {})]
