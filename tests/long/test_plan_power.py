"""Plans against studies of other generators (tests/long/corpora.py, labelling.simulate).

A plan supposes what a large pilot shows: write rate, precision, recall, design effects. `python -m
tests.long.test_plan_power` prints the tables of docs/planning.md.
"""

from dataclasses import replace
from functools import cache
from math import sqrt

import numpy as np
import pytest

from labelling.agreement.intervals import intervals
from labelling.agreement.pairs import statistics_of_counts
from labelling.agreement.tally import tally
from labelling.plan import Assumptions, DesignEffects, GateFigures, row
from labelling.plan.observed import rate_effect, share_effect
from labelling.plan.widths import AGREEMENT
from labelling.simulate import ANNOTATORS, World, chapter_gates
from labelling.simulate.study import made
from labelling.statistics import difference_interval
from labelling.tables.decisions import annotator_decisions
from tests.long.corpora import FACTS_PER_TURN, GATES, JUDGED, PROPOSED, SAMPLED, TURNS, corpus
from tests.long.test_coverage import estimates

pytestmark = pytest.mark.long

CORPORA = 600
PILOT = 20_000
# sessions, users
CASES = {
    "500 sessions": (500, 500),
    "500 sessions of 125 users": (500, 125),
    "120 sessions of 40 users": (120, 40),
    "60 sessions of 12 users": (60, 12),
}
PAIRS = (("model", "heuristic"), ("heuristic", "explicit"))
NAMES = {
    "precision": "precision",
    "recall": "recall",
    "wrong": "wrong_per_1000_turns",
    "write_rate": "write_rate",
}
TOLERANCE = 0.06
"""Of a width."""


def figures(gate: str) -> GateFigures:
    truth = GATES[gate].truth
    return GateFigures(truth["write_rate"], truth["precision"], truth["recall"])


@cache
def effects(gate: str, sessions_per_user: float) -> DesignEffects:
    """What a pilot of very many sessions shows."""
    random = np.random.default_rng(3)
    users = round(PILOT / sessions_per_user)
    found = corpus(random, PILOT, users, unit="user" if users < PILOT else "session")
    w = found.written[gate]
    return DesignEffects(
        precision=share_effect(w.right, w.judged),
        recall=share_effect(w.captured, found.proposed_facts),
        write_rate=rate_effect(w.records, found.turns),
    )


@cache
def planned(case: str, gate: str, other: str | None = None) -> dict[str, float | None]:
    sessions, users = CASES[case]
    given = Assumptions(
        gate=figures(gate),
        other=figures(other) if other else None,
        effects=effects(gate, sessions / users),
        turns_per_session=TURNS,
        sessions_per_user=sessions / users,
        base_rate=FACTS_PER_TURN,
        certain_share=PROPOSED,
        sample_share=SAMPLED,
        disputed_share=1 - JUDGED,
    )
    return row(given, sessions, draws=1000)


@cache
def realised(case: str) -> dict[tuple[str, str], tuple[float, float]]:
    """(gate or pair, measure) -> mean width, share of corpora whose interval leaves out zero."""
    sessions, users = CASES[case]
    random = np.random.default_rng([sessions, users, 11])
    unit = "user" if users < sessions else "session"
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for _ in range(CORPORA):
        one = corpus(random, sessions, users, unit=unit)
        by_name = {gate: estimates(one, gate) for gate in GATES}
        for a, b in PAIRS:
            name = f"{a} - {b}"
            one_pair = by_name[a], by_name[b]
            by_name[name] = {m: difference_interval(*(g[m] for g in one_pair)) for m in NAMES}
        for name, measured in by_name.items():
            for measure, i in measured.items():
                if i.low is not None:
                    seen = float(i.low > 0 or i.high < 0)
                    found.setdefault((name, measure), []).append((i.high - i.low, seen))
    return {key: tuple(np.mean(values, axis=0)) for key, values in found.items()}


@pytest.mark.parametrize("measure", NAMES)
@pytest.mark.parametrize("gate", ["model", "heuristic"])
@pytest.mark.parametrize("case", CASES)
def test_planned_widths_come_true(case, gate, measure):
    width, _ = realised(case)[gate, measure]
    width *= 1000 if measure == "wrong" else 1
    assert planned(case, gate)[f"{NAMES[measure]}_width"] == pytest.approx(width, rel=TOLERANCE)


@pytest.mark.parametrize("measure", ["precision", "recall", "wrong"])
@pytest.mark.parametrize("pair", PAIRS, ids=" - ".join)
@pytest.mark.parametrize("case", CASES)
def test_planned_power_comes_true(case, pair, measure):
    _, seen = realised(case)[" - ".join(pair), measure]
    power = planned(case, *pair)[f"{NAMES[measure]}_power"]
    if power is None:  # the explicit gate often has no judged record at all
        return
    error = sqrt(max(seen * (1 - seen), 0.01) * (1 / CORPORA + 1 / 1000))
    assert power == pytest.approx(seen, abs=3 * error + 0.03)


def test_gates_that_are_alike_are_told_apart_once_in_20_studies():
    given = Assumptions(other=GateFigures())
    for sessions in (60, 500):
        found = row(given, sessions, draws=1000)
        assert found["precision_power"] <= 0.05 + 2 * sqrt(0.05 * 0.95 / 1000)


def test_the_effect_of_what_is_supposed_wrongly_is_seen():
    # a plan for independent cases promises too much
    case = "500 sessions of 125 users"
    given = replace(
        Assumptions(gate=figures("model"), sessions_per_user=4.0, disputed_share=1 - JUDGED),
        effects=DesignEffects(1.0, 1.0, 1.0),
    )
    width, _ = realised(case)["model", "precision"]
    assert row(given, 500)["precision_width"] < 0.8 * width


def answered(sessions: int, seed: int) -> tuple[float, ...]:
    """Of a simulated study: widths of kappa and percent agreement, candidates and agreed facts a
    turn, share of the candidates that the two split on.
    """
    world = World(sessions=sessions)
    tables = dict(made(world, seed, ANNOTATORS, chapter_gates(world)[1:2]))
    votes = annotator_decisions(tables["labels"], tables["candidates"])
    wide = votes.pivot("annotator", index="candidate_id", values="write")
    whose = tables["candidates"].join(tables["sessions"], on="session_id")
    units = wide.join(whose.select("candidate_id", "user_id"), on="candidate_id")
    names = [annotator.name for annotator in ANNOTATORS]
    say = {True: "yes", False: "no"}
    found = tally(
        (u, (say[a], say[b]), 1) for u, a, b in units.select("user_id", *names).iter_rows()
    )
    statistics = statistics_of_counts(found.units, ("yes", "no"))
    made_of = intervals(found, statistics, ("yes", "no"))
    widths = [made_of[name].high - made_of[name].low for name in AGREEMENT]
    turns = tables["turns"].filter(role="assistant").height
    agreed = found.units["yes", "yes"] / turns
    return (*widths, wide.height / turns, agreed, 1 - statistics.percent_agreement)


@cache
def agreement(sessions: int) -> tuple[list[float], list[float]]:
    """Planned and realised widths of AGREEMENT."""
    found = np.mean([answered(sessions, seed) for seed in range(40)], axis=0)
    candidates, facts, split = found[2:]
    given = Assumptions(base_rate=facts, disputed_share=split, candidates_per_turn=candidates)
    planned = row(replace(given, effects=DesignEffects(1.0, 1.0, 1.0)), sessions, draws=50)
    return [planned[f"{name}_width"] for name in AGREEMENT], found[:2].tolist()


@pytest.mark.parametrize("sessions", [60, 200, 500])
def test_planned_widths_of_agreement_come_true_in_simulated_studies(sessions):
    planned, realised = agreement(sessions)
    assert planned == pytest.approx(realised, rel=0.1)


def main() -> None:
    """Print the tables of docs/planning.md."""
    print("\n| width: planned / realised | precision | recall | wrong per 1,000 | write rate |")
    print("| --- |" + " --- |" * 4)
    for case in CASES:
        for gate in ("model", "heuristic"):
            cells = []
            for measure, name in NAMES.items():
                scale = 1000 if measure == "wrong" else 1
                width = realised(case)[gate, measure][0] * scale
                cells.append(f"{planned(case, gate)[f'{name}_width']:.3g} / {width:.3g}")
            print(f"| {gate}, {case} | {' | '.join(cells)} |")
    print("\n| power: planned / realised, % | precision | recall | wrong per 1,000 |")
    print("| --- |" + " --- |" * 3)
    for case in CASES:
        for pair in PAIRS:
            cells = []
            for measure in ("precision", "recall", "wrong"):
                power = planned(case, *pair)[f"{NAMES[measure]}_power"]
                seen = realised(case)[" - ".join(pair), measure][1]
                told = "-" if power is None else f"{100 * power:.0f}"
                cells.append(f"{told} / {100 * seen:.0f}")
            print(f"| {' - '.join(pair)}, {case} | {' | '.join(cells)} |")
    print("\n| width: planned / realised | percent agreement | kappa |\n| --- | --- | --- |")
    for sessions in (60, 200, 500):
        (percent, kappa), (percent_seen, kappa_seen) = agreement(sessions)
        cells = f"{percent:.3g} / {percent_seen:.3g} | {kappa:.3g} / {kappa_seen:.3g}"
        print(f"| {sessions} simulated sessions | {cells} |")


if __name__ == "__main__":
    main()
