"""How often drift is called in a year without one, and how soon a planted one is found.

`python -m tests.long.test_drift_alarms` prints the tables of docs/agreement.md.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

import numpy as np
import polars as pl
import pytest

from labelling.drift import drift
from labelling.simulate.annotators import Annotator
from tests.long.agreed import CONCENTRATION, TEAMS, Team, split_share

pytestmark = pytest.mark.long

YEARS = 1000
PLANTED = 180
DAYS = [date(2026, 1, 1) + timedelta(days=i) for i in range(365)]
FACTS = 0.5
CAREFUL, SLOPPY = (split_share(TEAMS[name], FACTS) for name in ("careful", "sloppy"))
"""Shares of candidates they split on."""
ONE_TIRES = split_share(Team((Annotator("a"), Annotator("b", miss=0.2, slip=0.02))), FACTS)
AT_ODDS = split_share(TEAMS["one lenient, one strict"], FACTS)


@dataclass(frozen=True)
class Case:
    """A year of daily looks; `together`: candidates of a user come on one day, five of each."""

    share: float
    baseline: float | None = None
    first: int = 200
    per_day: int = 20
    later: float | None = None
    together: bool = False
    day_to_day: float | None = None
    """Concentration of the beta distribution of the days' shares."""


STEADY = {
    "careful, their share stated": Case(CAREFUL, baseline=CAREFUL),
    "careful, first 200 pairs": Case(CAREFUL),
    "sloppy, their share stated": Case(SLOPPY, baseline=SLOPPY),
    "sloppy, first 200 pairs": Case(SLOPPY),
    "sloppy, first 200 pairs, 5 a day": Case(SLOPPY, per_day=5),
    "careful, stated, a user's candidates on one day": Case(
        CAREFUL, baseline=CAREFUL, together=True
    ),
}
BEYOND = {
    "sloppy, stated, days differ by 7 points": Case(SLOPPY, baseline=SLOPPY, day_to_day=23),
    "sloppy, first 200 pairs, days differ by 7 points": Case(SLOPPY, day_to_day=23),
}
"""Shown, not promised: days differ in how often anybody would split."""
WORSE = {
    "one tires, stated": Case(CAREFUL, baseline=CAREFUL, later=ONE_TIRES),
    "one tires, first 200 pairs": Case(CAREFUL, later=ONE_TIRES),
    "one tires, first 400 pairs": Case(CAREFUL, first=400, later=ONE_TIRES),
    "at odds, stated, 5 pairs a day": Case(CAREFUL, CAREFUL, per_day=5, later=AT_ODDS),
    "at odds, first 200 pairs": Case(CAREFUL, later=AT_ODDS),
    "at odds, first 200 pairs, 5 a day": Case(CAREFUL, per_day=5, later=AT_ODDS),
}
SMALL = {
    "one tires, first 100 pairs": Case(CAREFUL, first=100, later=ONE_TIRES),
    "one tires, first 200 pairs, 5 a day": Case(CAREFUL, per_day=5, later=ONE_TIRES),
}
"""Shown, not promised: too few pairs to see it."""


def year(random, case):
    """Days with pairs and splits."""
    pairs = random.poisson(case.per_day, len(DAYS))
    share = np.full(len(DAYS), case.share)
    if case.later is not None:
        share[PLANTED:] = case.later
    if case.day_to_day is not None:
        share = random.beta(share * case.day_to_day, (1 - share) * case.day_to_day)
    splits = random.binomial(pairs, share)
    if case.together:
        pairs, splits = _by_users(random, case.per_day)
    days = pl.DataFrame({"day": DAYS, "pairs": pairs, "splits": splits})
    return days.filter(pl.col("pairs") > 0)


def _by_users(random, per_day):
    """Each day some users' candidates, five each; users differ in how many of them are facts."""
    users = random.poisson(per_day / 5, len(DAYS))
    facts = random.beta(CONCENTRATION * FACTS, CONCENTRATION * (1 - FACTS), (len(DAYS), max(users)))
    none, only = (split_share(TEAMS["careful"], facts) for facts in (0.0, 1.0))
    splits = random.binomial(5, none + (only - none) * facts)
    here = np.arange(max(users)) < users[:, None]
    return 5 * users, (splits * here).sum(axis=1)


@cache
def alarms(case):
    """Days from the planted drift to the alarm in so many years; None: no alarm."""
    random, planted = np.random.default_rng(11), DAYS[PLANTED]
    years = (year(random, case) for _ in range(YEARS))
    found = (drift(days, baseline=case.baseline, first=case.first).alarm_on for days in years)
    return [None if day is None else (day - planted).days for day in found]


def called(case):
    return sum(day is not None for day in alarms(case)) / YEARS


def soon(case):
    """Shares found in time, and the days until half and nine tenths of the years were."""
    late = [np.inf if day is None or day < 0 else day for day in alarms(case)]
    half, most = (np.quantile(late, q, method="higher") for q in (0.5, 0.9))
    return np.isfinite(late).mean(), half, most


@pytest.mark.parametrize("name", STEADY)
def test_a_year_of_daily_looks_calls_drift_falsely_once_in_20_at_most(name):
    assert called(STEADY[name]) <= 0.05


@pytest.mark.parametrize("name", WORSE)
def test_a_planted_drift_is_found(name):
    found, half, _ = soon(WORSE[name])
    assert found >= 0.85
    assert half <= 60


def test_a_fixed_n_interval_looked_at_every_day_is_no_signal():
    """What the e-process is for: the daily one-sided 5 % test of the share so far."""
    random, called = np.random.default_rng(3), 0
    for _ in range(200):
        days = year(random, STEADY["sloppy, their share stated"])
        n, k = days["pairs"].cum_sum().to_numpy(), days["splits"].cum_sum().to_numpy()
        z = (k - n * SLOPPY) / np.sqrt(n * SLOPPY * (1 - SLOPPY))
        called += bool((z > 1.645).any())
    assert called / 200 > 0.2


def main() -> None:
    """Print the tables of docs/agreement.md."""
    print("| a year without drift | split share | false alarms |\n| --- | --- | --- |")
    for name, case in (STEADY | BEYOND).items():
        print(f"| {name} | {100 * case.share:.1f} % | {100 * called(case):.1f} % |")
    head = "| a drift on day 180 | split share | found | half after | nine in ten after |"
    print(f"\n{head}\n| --- | --- | --- | --- | --- |")
    for name, case in (WORSE | SMALL).items():
        found, half, most = soon(case)
        until = " | ".join(f"{x:.0f} days" if np.isfinite(x) else "–" for x in (half, most))
        shares = f"{100 * case.share:.1f} -> {100 * case.later:.1f} %"
        print(f"| {name} | {shares} | {100 * found:.1f} % | {until} |")


if __name__ == "__main__":
    main()
