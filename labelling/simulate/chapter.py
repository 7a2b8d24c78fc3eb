"""The defaults: two annotators and five gates with the chapter's figures, in expectation.

`PRINTED` has what chapter 3 prints (recalls: inferred from 23 of 410 and the printed gaps); `tuned`
solves for the rates that give it under a world and annotators. The confirming gate asks at most
once a session, which no formula of ours covers: its rates were found by running it. Simulated
figures say nothing about any gate.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from labelling.simulate.annotators import Annotator
from labelling.simulate.gates import Asking, GateModel
from labelling.simulate.world import World
from labelling.statistics import ratio

ANNOTATORS = (Annotator("simulated-a"), Annotator("simulated-b"))


@dataclass(frozen=True)
class Printed:
    """A row of the chapter's table, and how its wrong records are shared out over traps."""

    model: GateModel
    """The gate; its hits, false alarms and records per fact are left to `tuned`."""
    write_rate: float
    precision: float
    recall: float
    hard_recall: float
    """Recall of oblique and multi-turn facts."""
    wrong: Mapping[str, float]


@dataclass(frozen=True)
class _Decided:
    """Shares of claims of a kind that all annotators write, and that none writes."""

    accepted: float
    rejected: float


PRINTED = (
    Printed(
        GateModel(
            gate="model",
            setting="worth remembering",
            hits={},
            records_per_trap=2.0,
            threshold=0.5,
            on_path=False,
            latency_p50_ms=900,
            latency_p95_ms=2100,
            cost_per_run=0.0004,
        ),
        write_rate=0.31,
        precision=0.62,
        recall=0.68,
        hard_recall=0.58,
        # "roughly half" situational, "another large group" the assistant's, the rest scope
        wrong={
            "situational": 0.5,
            "assistant_claim": 0.25,
            "scope_invented": 0.15,
            "third_person": 0.1,
        },
    ),
    Printed(
        GateModel(
            gate="model",
            setting="durable",
            hits={},
            records_per_trap=1.5,
            threshold=0.5,
            on_path=False,
            latency_p50_ms=1000,
            latency_p95_ms=2300,
            cost_per_run=0.0005,
        ),
        write_rate=0.18,
        precision=0.79,
        recall=0.61,
        hard_recall=0.52,
        wrong={
            "situational": 0.4,
            "assistant_claim": 0.2,
            "scope_invented": 0.3,
            "third_person": 0.1,
        },
    ),
    Printed(
        GateModel(gate="heuristic", setting="34 patterns", hits={}, records_per_trap=1.2),
        write_rate=0.06,
        precision=0.83,
        recall=0.35,
        hard_recall=4 / 118,
        wrong={"situational": 0.5, "third_person": 0.4, "scope_invented": 0.1},
    ),
    Printed(
        # a user who presses knows what to keep; the one error was mistyped
        GateModel(gate="explicit", setting="button", hits={}, ambiguous=0.0, presses=True),
        write_rate=0.004,
        precision=0.97,
        recall=23 / 410,
        hard_recall=23 / 410,
        wrong={"other": 1.0},
    ),
)

CONFIRM = GateModel(
    gate="confirm",
    setting="one per session",
    hits={"stated": 1.0, "oblique": 1.0, "multi_turn": 1.0},
    false_alarms={"situational": 0.86, "assistant_claim": 0.86, "third_person": 0.86},
    ambiguous=0.5,
    sharpness=5.0,
    # 6.1 % of turns are offered and 3.2 % written, as printed; the printed 54 % would make 3.29 %
    asking=Asking(yes_to_fact=0.79, yes_to_trap=0.055),
    latency_p50_ms=3,
    latency_p95_ms=6,
)


def tuned(printed: Printed, world: World, annotators: Sequence[Annotator]) -> GateModel:
    """The gate with the printed write rate, precision and recall in expectation.

    Per assistant turn there are `clear` and `doubtful` facts; with d records of a clear fact and
    one of a doubtful one, and `junk` records of traps, two linear equations in d and junk hold:
    records = write_rate, and (1 - precision) x right = precision x wrong.
    """
    model, rate = printed.model, world.facts_per_turn
    clear, doubtful = rate * (1 - world.ambiguous_share), rate * world.ambiguous_share
    fact = _decided([1 - a.miss for a in annotators])
    doubt = _decided([a.lenience for a in annotators])
    trap = _decided([a.slip for a in annotators])
    reference = clear * fact.accepted + doubtful * doubt.accepted
    seen = clear * fact.accepted + model.ambiguous * doubtful * doubt.accepted
    lift = reference / seen
    hit, doubted = printed.recall * lift, printed.recall * lift * model.ambiguous * doubtful
    good, bad = 1 - printed.precision, printed.precision
    per_record = good * fact.accepted - bad * fact.rejected
    d, junk = np.linalg.solve(
        [[hit * clear, 1.0], [hit * clear * per_record, -bad * trap.rejected]],
        [printed.write_rate - doubted, doubted * (bad * doubt.rejected - good * doubt.accepted)],
    )
    traps = {kind: world.rate(kind) * model.records_per_trap for kind in printed.wrong}
    # a world without traps of a kind has no such gate: GateModel says so
    alarms = {k: ratio(junk * w, traps[k]) or math.inf for k, w in printed.wrong.items()}
    hits = _hits(hit, printed.hard_recall * lift, world)
    return replace(model, hits=hits, false_alarms=alarms, records_per_fact=float(d))


def chapter_gates(
    world: World, annotators: Sequence[Annotator] = ANNOTATORS
) -> tuple[GateModel, ...]:
    """The five gates of the chapter's table."""
    return (*(tuned(printed, world, annotators) for printed in PRINTED), CONFIRM)


def _hits(mean: float, hard: float, world: World) -> dict[str, float]:
    share = world.oblique_share + world.multi_turn_share
    stated = (mean - hard * share) / (1 - share)
    return {"stated": stated, "oblique": hard, "multi_turn": hard}


def _decided(writes: Sequence[float]) -> _Decided:
    return _Decided(math.prod(writes), math.prod(1 - write for write in writes))
