"""Notebooks are short to read: small cells, no functions, nothing stored but the source."""

from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
MOST_LINES = 12


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_clean(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in (c for c in notebook.cells if c.cell_type == "code"):
        lines = cell.source.splitlines()
        assert cell.outputs == []
        assert cell.execution_count is None
        assert len(lines) <= MOST_LINES
        assert not any(line.lstrip().startswith(("def ", "class ", "async def ")) for line in lines)


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS
