"""Audits of generated stores: how often the alarm is false, how soon it is right, what intervals
hold. `python -m tests.long.test_audit_alarm` prints the tables of docs/audit.md.
"""

from functools import cache
from math import sqrt

import numpy as np
import polars as pl
import pytest

from labelling.audit import alarms
from labelling.audit.figures import correction_rate, wrong_share
from labelling.statistics import quotient_interval

pytestmark = pytest.mark.long

WEEKS = 52
YEARS = 1000
RISE = 13
"""Week of the rise, from 0."""
SIZES = (25, 50, 100, 200)
RISEN = (0.1, 0.15, 0.2, 0.3)
BEFORE = 0.06
LIMIT = 0.1
STORES = 2000
# sampled, wrong share, users, records a user, correction rate, likeness of a user's records
CASES = {
    "200 of 10,000, 38 % wrong, 0.4 % corrected": (200, 0.38, 500, 20, 0.004, 0.05),
    "200 of 2,000, 38 % wrong, 0.4 % corrected": (200, 0.38, 100, 20, 0.004, 0.05),
    "200 of 10,000, 5 % wrong, 2 % corrected": (200, 0.05, 500, 20, 0.02, 0.05),
    "50 of 10,000, 10 % wrong, 2 % corrected": (50, 0.1, 500, 20, 0.02, 0.05),
    "200 of 1,200 of 30 users, 38 % wrong, 2 % corrected": (200, 0.38, 30, 40, 0.02, 0.02),
}
BEYOND = {"the same, few users correct": (200, 0.38, 30, 40, 0.02, 0.1)}
"""Shown, not promised: the habit of very few users."""
FIGURES = ("wrong_share", "correction_rate", "wrong_per_corrected")


def watched(random: np.random.Generator, shares: np.ndarray, n: int, limit: float | None):
    """Weeks whose alarm is on, in one year of audits of n judged records each."""
    wrong = random.binomial(n, shares)
    frame = pl.DataFrame({"wrong_records": wrong, "correct_records": n - wrong})
    return alarms(frame, limit)["alarm"].fill_null(False).to_numpy()


@cache
def false_alarms(n: int, share: float, stated: bool) -> float:
    """Share of years with an alarm, the wrong share always the same (the limit, where stated)."""
    random = np.random.default_rng([n, round(1000 * share), stated])
    years = (
        watched(random, np.full(WEEKS, share), n, share if stated else None).any()
        for _ in range(YEARS)
    )
    return float(np.mean(list(years)))


@cache
def weeks_to_alarm(n: int, after: float, stated: bool) -> tuple[float, float]:
    """Median audits from the rise to the alarm (inf: later than the year), share found at all."""
    random = np.random.default_rng([n, round(1000 * after), stated])
    shares = np.where(np.arange(WEEKS) < RISE, BEFORE, after)
    waits = []
    for _ in range(YEARS // 4):
        on = watched(random, shares, n, LIMIT if stated else None)
        waits.append(np.argmax(on) - RISE + 1 if on.any() else np.inf)
    return float(np.median(waits)), float(np.mean(np.isfinite(waits)))


@pytest.mark.parametrize("stated", [True, False], ids=["stated", "first audit"])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.38])
@pytest.mark.parametrize("n", SIZES)
def test_a_year_of_weekly_looks_has_a_false_alarm_in_one_case_of_20_at_most(n, share, stated):
    assert false_alarms(n, share, stated) <= 0.05


@pytest.mark.parametrize(
    ("n", "after", "weeks"), [(25, 0.2, 12), (50, 0.2, 7), (100, 0.2, 4), (200, 0.15, 7)]
)
def test_a_rise_above_a_stated_limit_is_found_within_weeks(n, after, weeks):
    median, found = weeks_to_alarm(n, after, True)
    assert median <= weeks
    assert found > 0.95


def store(random: np.random.Generator, case: tuple):
    """Counts of one audit: of the sample wrong and right, of users known and corrected; its truth.

    The wrong share is that of the store as it is; the correction rate that of users like these.
    """
    n, wrong, users, each, corrected, alike = case
    sizes = 1 + random.poisson(each - 1, users)
    is_wrong = random.binomial(sizes, random.beta(3 * wrong, 3 * (1 - wrong), users))
    drawn = int(random.hypergeometric(is_wrong.sum(), sizes.sum() - is_wrong.sum(), n))
    spread = 1 / alike - 1
    habit = random.beta(corrected * spread, (1 - corrected) * spread, users)
    counts = {"wrong": drawn, "correct": n - drawn, "disputed": 0, "unjudged": 0}
    people = {"known_records": sizes, "corrected_records": random.binomial(sizes, habit)}
    return counts, pl.DataFrame(people), float(is_wrong.sum() / sizes.sum())


@cache
def coverage(name: str) -> dict[str, tuple[float, int]]:
    """Figure -> how often its interval holds the truth, and of how many that have one."""
    case = (CASES | BEYOND)[name]
    random = np.random.default_rng(len(name))
    held: dict[str, list[bool]] = {figure: [] for figure in FIGURES}
    for _ in range(STORES):
        counts, users, share = store(random, case)
        wrong, corrected = wrong_share(counts), correction_rate(users)
        made = (wrong, corrected, quotient_interval(wrong, corrected))
        for figure, found, truth in zip(
            FIGURES, made, (share, case[4], share / case[4]), strict=True
        ):
            if found.low is not None:
                held[figure].append(found.low <= truth <= found.high)
    return {figure: (float(np.mean(seen)), len(seen)) for figure, seen in held.items()}


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("case", CASES)
def test_intervals_of_an_audit_hold(case, figure):
    share, made = coverage(case)[figure]
    assert made > 1000
    assert share >= 0.95 - 2 * sqrt(0.05 * 0.95 / made) - 0.01


def main() -> None:
    """Print the tables of docs/audit.md."""
    print("\n| years with a false alarm, % | records judged a week |" + " |" * 3)
    print(f"| --- |{' --- |' * 4}\n| | {' | '.join(map(str, SIZES))} |")
    for stated in (True, False):
        for share in (0.02, 0.1, 0.38):
            cells = (f"{100 * false_alarms(n, share, stated):.1f}" for n in SIZES)
            limit = "stated" if stated else "first audit"
            print(f"| limit {limit}, share always {share:g} | {' | '.join(cells)} |")
    print(f"\n| rise from {BEFORE:g} to | {' | '.join(map(str, SIZES))} |\n| --- |{' --- |' * 4}")
    for stated in (True, False):
        for after in RISEN:
            cells = []
            for n in SIZES:
                median, found = weeks_to_alarm(n, after, stated)
                when = f"{median:.0f}" if np.isfinite(median) else "-"
                cells.append(f"{when} ({100 * found:.0f} %)")
            limit = f"limit {LIMIT:g}" if stated else "limit of the first audit"
            print(f"| {after:g}, {limit} | {' | '.join(cells)} |")
    print("\n| intervals that hold, % | wrong share | correction rate | their quotient |")
    print("| --- | --- | --- | --- |")
    for case in CASES | BEYOND:
        cells = (f"{100 * share:.1f}" for share, _ in coverage(case).values())
        made = coverage(case)["wrong_per_corrected"][1]
        print(f"| {case} | {' | '.join(cells)}{f' ({made:,})' if made < STORES else ''} |")


if __name__ == "__main__":
    main()
