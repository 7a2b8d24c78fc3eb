"""A study of a million turns from nothing to its operating points, step by step.

    python -m benchmarks.end_to_end --turns 1000000

Each step is what its command does, in a process of its own: it reads tables and writes tables.
Gates replay over every user turn of the simulated transcripts, whose turns are short. Matching is
measured alone, too, and against a plain loop over the records of `--loop-sessions` sessions, whose
verdicts must be the same.
"""

import os
import tempfile
from collections.abc import Callable
from typing import Any

import cyclopts
import polars as pl

from analysis.gates.registry import named
from analysis.links import links
from analysis.match import judged, offered
from analysis.replay import replay
from analysis.score import OFFERED, UPSTREAM, score
from analysis.truth import headline
from benchmarks.measured import Measured, measured, shown, table
from benchmarks.plain_match import verdicts
from labelling.reference import make_reference
from labelling.simulate import World, simulate
from labelling.tables import read
from labelling.tables.decisions import decisions

STUDY = "benchmark"
TOLD = ("proposals", "candidates", "turns", "events")
BY_HAND = ("read_whole", "nobody judged it")
"""What the loop leaves open."""


def make(sessions: int) -> int:
    """Simulate; the number of turns."""
    return simulate(STUDY, World(sessions=sessions)).wrote["turns"]


def run(gate: str) -> int:
    """Replay a gate over every session; how often it ran."""
    replay(STUDY, [gate])
    runs = read(STUDY, "gate_turns")
    return runs.filter(gate=gate, setting=named(gate).setting).height


def refer() -> int:
    """Make the reference set; the number of labels."""
    return make_reference(STUDY).read["labels"]


def match() -> int:
    """Judge every record; how many there are."""
    return _captures(_tables()).height


def measure() -> int:
    """Score as the command does, matching included; the number of proposals."""
    return score(STUDY, split="all").read["proposals"]


def loop(tables: tuple[Any, ...]) -> dict[str, str | None]:
    """Matching as a plain loop."""
    return verdicts(*tables)


def _tables() -> dict[str, pl.DataFrame]:
    return {name: read(STUDY, name) for name in UPSTREAM} | {"links": links(STUDY)}


def _captures(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    offers = offered(**{name: tables[name] for name in OFFERED})
    return judged(offers, headline(tables)).captures


def _sample(sessions: int) -> tuple[Any, ...]:
    """The loop's input: rows of the first sessions, and what was decided."""
    chosen = read(STUDY, "sessions")["session_id"].sort().head(sessions)
    here = pl.col("session_id").is_in(chosen.implode())
    labels, candidates = read(STUDY, "labels"), read(STUDY, "candidates")
    rows = [read(STUDY, name).filter(here) for name in TOLD]
    rows[0] = rows[0].filter(pl.col("verdict") == "admit")
    decided = dict(decisions(labels, candidates).select("candidate_id", "decision").iter_rows())
    proposals, cards, turns, events = (part.to_dicts() for part in rows)
    return proposals, cards, decided, turns, events


def _same(found: dict[str, str | None]) -> None:
    """Raise AssertionError unless the written captures say what the loop says."""
    captures = read(STUDY, "captures").filter(pl.col("proposal_id").is_in(list(found)))
    left_open = pl.col("how").is_in(BY_HAND)
    told = captures.select("proposal_id", pl.when(~left_open).then("status"))
    written = dict(told.iter_rows())
    different = {key: (written.get(key), status) for key, status in found.items()}
    different = {key: pair for key, pair in different.items() if pair[0] != pair[1]}
    assert not different, f"{len(different)} of {len(found)} verdicts differ: {different}"


def _row(step: str, unit: str, taken: Measured, rows: int) -> tuple[str, ...]:
    rate = f"{rows / taken.cpu:,.0f} {unit}"
    times = (shown(taken.cpu), shown(taken.seconds))
    return (step, f"{rows:,} {unit}", *times, rate, f"{taken.peak_mb:,.0f}")


def steps(sessions: int) -> list[tuple[str, str, Callable[..., int], tuple[Any, ...]]]:
    """Step, what it counts, its function and arguments, in order."""
    return [
        ("simulate", "turns", make, (sessions,)),
        ("replay heuristic", "runs", run, ("heuristic",)),
        ("replay first_person", "runs", run, ("first_person",)),
        ("reference", "labels", refer, ()),
        ("score", "proposals", measure, ()),
        ("of it: match", "records", match, ()),
    ]


def main(*, turns: int = 1_000_000, loop_sessions: int = 400) -> None:
    """Run all steps in a folder that is thrown away, and compare the loop's verdicts."""
    sessions = max(1, round(turns / (2 * World().turns_per_session)))
    rows: list[tuple[str, ...]] = [
        ("step", "rows", "CPU seconds", "seconds", "a CPU second", "peak MB")
    ]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GATES_DATA"] = folder
        for step, unit, function, arguments in steps(sessions):
            taken = measured(function, *arguments)
            rows.append(_row(step, unit, taken, taken.result))
        plain = measured(loop, _sample(loop_sessions))
        _same(plain.result)
    records = len(plain.result)
    rows.append(_row("plain loop for match", "records", plain, records))
    print(f"{sessions:,} sessions; match and loop give the same {records:,} verdicts")
    print(table(*rows))


if __name__ == "__main__":
    cyclopts.run(main)
