"""Weighted recall by sampled sentences and whole readings, on simulated worlds with known truth.

Every step is the real one: `gates pool`, readers' marks, a second pool, labels, reference facts.
`python -m tests.long.test_reading_recall` prints the table of docs/reading.md.
"""

import json
import os
import tempfile
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest

from labelling.candidates import pool
from labelling.reading import drawn_sessions
from labelling.reference import reference_facts
from labelling.simulate import ANNOTATORS, World, chapter_gates
from labelling.simulate.study import made
from labelling.tables import frame, read, write
from labelling.tables.marks import same_place
from tests.studies import REJECT, WRITE, read_whole, row, votes

pytestmark = pytest.mark.long

SESSIONS, SEEDS = 120, 60
ROUTES = {"sentences": (150, 0), "readings": (0, 30), "both": (150, 30)}
"""What is drawn: sentences, sessions."""
GATE, OTHER = "34 patterns", "durable"
"""Settings of two gates; the second is there to fill the pool."""


class Recall(NamedTuple):
    """One world: of the gate's facts and of all, the weights found, and the true counts."""

    captured: float
    weight: float
    true_captured: int
    facts: int
    pool: int
    """Facts that some pooled gate proposed."""


def oracle(candidates: pl.DataFrame, truth: pl.DataFrame) -> dict[str, str]:
    """candidate_id -> the fact that it states; what states none is rejected."""
    facts = truth.filter(pl.col("trap").is_null(), "durable").to_dicts()
    by_key = {_key(fact): fact["fact_id"] for fact in facts}
    here: dict[str, list[dict[str, Any]]] = {}
    for fact in facts:
        here.setdefault(fact["session_id"], []).append(fact)
    found = {}
    for card in candidates.to_dicts():
        own = here.get(card["session_id"], [])
        rests = (f["fact_id"] for f in own if same_place(f["evidence"][-1:], card["evidence"]))
        known = by_key.get(_key(card)) if "proposed" in card["strata"] else next(rests, None)
        if known:
            found[card["candidate_id"]] = known
    return found


def _key(row_: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row_[name] for name in ("session_id", "slot", "value", "scope", "polarity"))


def marks(sessions: list[str], truth: pl.DataFrame, seed: int) -> Iterator[dict[str, Any]]:
    """Two readers who each overlook three in ten facts, never the same one."""
    random = np.random.default_rng(seed)
    facts = truth.filter(pl.col("trap").is_null(), "durable")
    for session_id in sessions:
        own = facts.filter(pl.col("session_id") == session_id)["evidence"].to_list()
        sees = random.random(len(own))
        for reader, kept in (("a0", sees < 0.7), ("a1", sees >= 0.3)):
            pieces = [
                {"mark": n, "turn": e["turn"], "start": e["start"], "end": e["end"], "label": ""}
                for n, evidence in enumerate(own)
                if kept[n]
                for e in evidence
            ]
            yield from read_whole(session_id, reader)
            answer = {"candidate_id": session_id, "annotator": reader, "question": "marked"}
            yield row("labels", **answer, answer=json.dumps(pieces))


def labelled(study: str, truth: pl.DataFrame, more: list[dict[str, Any]]) -> dict[str, str]:
    """Write the answers of two who are always right; the facts by candidate."""
    candidates = read(study, "candidates")
    facts = oracle(candidates, truth)
    answers = [
        vote
        for card in candidates["candidate_id"]
        for vote in votes(card, *[WRITE if card in facts else REJECT] * 2)
    ]
    write(study, "labels", frame("labels", [*answers, *more]))
    return facts


def one(seed: int, sentences: int, sessions: int, world: World) -> Recall:
    gates = [gate for gate in chapter_gates(world) if gate.setting in (GATE, OTHER)]
    # what is drawn hangs on the ids: other ones in every world
    tables = {
        name: table.with_columns(pl.format("{}-{}", pl.lit(seed), "session_id").alias("session_id"))
        for name, table in made(world, seed, ANNOTATORS, gates)
        if name in ("sessions", "turns", "proposals", "truth")
    }
    truth = tables["truth"]
    for name in tables.keys() - {"truth"}:
        write("world", name, tables[name])
    more: list[dict[str, Any]] = []
    pool("world", sample=sentences, read_sessions=sessions)
    labelled("world", truth, more)
    if sessions:
        more = list(marks(drawn_sessions("world", tables["turns"]), truth, seed))
        labelled("world", truth, more)
        pool("world")
    facts = labelled("world", truth, more)
    reference = reference_facts(
        read("world", "labels"), read("world", "candidates"), read("world", "sessions")
    )
    names = [facts[fact] for fact in reference["fact_id"]]
    assert len(set(names)) >= 0.97 * len(names)  # a fact is one candidate
    durable = truth.filter(pl.col("trap").is_null(), "durable")
    own = tables["proposals"].filter(pl.col("setting") == GATE, pl.col("verdict") == "admit")
    by_key = {_key(fact): fact["fact_id"] for fact in durable.to_dicts()}
    captured = {by_key[key] for key in map(_key, own.to_dicts()) if key in by_key}
    hit = pl.Series([name in captured for name in names], dtype=pl.Boolean)
    proposed = reference.join(
        read("world", "candidates").filter(pl.col("strata").list.contains("proposed")),
        left_on="fact_id",
        right_on="candidate_id",
        how="semi",
    )
    return Recall(
        float(reference.filter(hit)["weight"].sum()),
        float(reference["weight"].sum()),
        len(captured),
        durable.height,
        proposed.height,
    )


@cache
def recalls(route: str, multi_turn: float) -> tuple[float, float, float, float]:
    """Weighted recall over all worlds, its standard error, the truth, and recall of the pool."""
    world = World(sessions=SESSIONS, multi_turn_share=multi_turn)
    found = []
    before = os.environ.get("GATES_DATA")
    for seed in range(SEEDS):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["GATES_DATA"] = folder
            found.append(one(seed, *ROUTES[route], world))
    os.environ.pop("GATES_DATA")
    os.environ.update({"GATES_DATA": before} if before else {})
    captured, weight, true_captured, facts, pooled = np.array(found, dtype=float).T
    recall, truth = captured.sum() / weight.sum(), true_captured.sum() / facts.sum()
    # of the difference, since worlds differ in the truth as well
    apart = (captured - recall * weight) / weight.mean() - (
        true_captured - truth * facts
    ) / facts.mean()
    error = np.std(apart) / np.sqrt(SEEDS)
    return recall, error, truth, true_captured.sum() / pooled.sum()


@pytest.mark.parametrize("route", ROUTES)
def test_weighted_recall_is_unbiased_and_that_of_the_pool_is_not(route: str) -> None:
    recall, error, truth, pooled = recalls(route, 0.0)
    assert abs(recall - truth) < 3 * error
    assert pooled - truth > 10 * error


def main() -> None:
    """Print the table of docs/reading.md."""
    print(
        "| drawn | facts over several turns | truth | weighted | of the pool |\n"
        + "| --- " * 5
        + "|"
    )
    for multi_turn in (0.0, 48 / 410):
        for route in ROUTES:
            recall, error, truth, pooled = recalls(route, multi_turn)
            shown = f"{truth:.3f} | {recall:.3f} ± {2 * error:.3f} | {pooled:.3f}"
            print(f"| {route} | {100 * multi_turn:.0f} % | {shown} |")


if __name__ == "__main__":
    main()
