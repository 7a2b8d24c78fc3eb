"""Every benchmark runs at a tiny size, finds its contenders equal, and prints its table."""

import importlib
import os
import re

import pytest

from benchmarks.measured import measured, shown, table
from tests.documents import ROOT

TINY = {
    "bootstrap": {"sessions": 20, "draws": 10, "thresholds": 5, "loop_draws": 3},
    "sweep": {"scores": 1000, "repeat": 1},
    "end_to_end": {"turns": 500, "loop_sessions": 5},
    "server": {"records": 30, "annotators": 2, "answers": 3},
}
BENCHMARKS = {
    path.stem for path in (ROOT / "benchmarks").glob("*.py") if "main(" in path.read_text()
}


def test_every_benchmark_is_tried():
    assert set(TINY) == BENCHMARKS


@pytest.mark.parametrize("name", TINY)
def test_a_benchmark_runs(name, capsys, monkeypatch):
    for name_of in ("GATES_DATA", "OPENBLAS_NUM_THREADS"):  # set by benchmarks, put back here
        monkeypatch.setenv(name_of, "")
    importlib.import_module(f"benchmarks.{name}").main(**TINY[name])
    said, head, _, *rows = capsys.readouterr().out.splitlines()
    assert re.search(r"equal|same", said)
    assert "peak MB" in head
    assert len(rows) >= 3


def test_the_readme_has_the_figures_of_every_benchmark():
    text = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    assert all(f"python -m benchmarks.{name}" in text for name in BENCHMARKS)


def test_what_a_measured_call_gives_or_raises_comes_back():
    taken = measured(sorted, [2, 1], repeat=2)
    assert taken.result == [1, 2]
    assert taken.peak_mb > 1
    assert 0 <= taken.seconds < 60
    with pytest.raises(ValueError, match="invalid literal"):
        measured(int, "no number")
    with pytest.raises(RuntimeError, match="_exit ended without a result"):
        measured(os._exit, 1)


def test_a_table_lines_up():
    assert table(("a", "bb"), ("ccc", "d")) == "| a   | bb |\n| --- | -- |\n| ccc | d  |"
    assert [shown(0.01234), shown(1234.5)] == ["0.0123", "1,234"]
