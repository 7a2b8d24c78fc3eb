"""How often 95 % intervals of agreement hold the truth, on generated corpora (agreed.py).

`python -m tests.long.test_agreement_coverage` prints the tables of docs/agreement.md.
"""

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from math import sqrt

import pytest

from labelling.agreement.intervals import intervals
from labelling.agreement.pooled import pooled
from tests.long.agreed import OFFERED, TEAMS, corpora, truth

pytestmark = pytest.mark.long

CORPORA = 1000
SIZES = {
    "40 of 40": (40, 40),
    "40 of 10": (40, 10),
    "200 of 40": (200, 40),
    "400 of 80": (400, 80),
}
"""Candidates and users."""
FACTS = (0.05, 0.5)
SHOWN = {
    "percent_agreement": "percent",
    "positive_agreement": "positive",
    "negative_agreement": "negative",
    "cohen_kappa": "kappa",
    "scott_pi": "pi",
    "krippendorff_alpha_nominal": "alpha",
    "gwet_ac1": "AC1",
    "prevalence_index": "prevalence",
}
"""Statistics and their heads; PABAK is as percent agreement."""
CASES = [
    (question, team, facts, size)
    for question in OFFERED
    for team in TEAMS
    for facts in FACTS
    for size in SIZES
]


@dataclass
class Tallies:
    """By statistic: intervals made, and those that hold the truth."""

    made: Counter = field(default_factory=Counter)
    held: Counter = field(default_factory=Counter)

    def share(self, name):
        return self.held[name] / self.made[name]

    def enough(self, name):
        """95 % less three standard errors of the simulation."""
        return 0.95 - 3 * sqrt(0.95 * 0.05 / self.made[name])


@cache
def coverage(question, team, facts, size):
    known, tallies = truth(TEAMS[team], facts, question), Tallies()
    for tally in corpora(team, facts, *SIZES[size], question, CORPORA):
        found = pooled(tally.units, OFFERED[question])
        for name, interval in intervals(tally, found, OFFERED[question]).items():
            tallies.made[name] += 1
            within = interval.low - 1e-9 <= getattr(known, name) <= interval.high + 1e-9
            tallies.held[name] += within
    return tallies


@pytest.mark.parametrize(("question", "team", "facts", "size"), CASES)
def test_intervals_hold_as_often_as_they_say(question, team, facts, size):
    tallies = coverage(question, team, facts, size)
    assert tallies.made["percent_agreement"] == CORPORA
    for name in tallies.made:
        assert tallies.share(name) >= tallies.enough(name), name
        if team == "unanimous" and name != "prevalence_index":
            assert tallies.share(name) == 1


def test_kappa_and_its_standard_error_are_no_interval_where_few_are_facts():
    known, held, made = truth(TEAMS["careful"], 0.05, "write").cohen_kappa, 0, 0
    for tally in corpora("careful", 0.05, 40, 40, "write", CORPORA):
        found = pooled(tally.units, OFFERED["write"])
        if found.cohen_kappa is not None:
            made += 1
            reach = 1.96 * found.cohen_kappa_se_fleiss_cohen_everitt
            held += abs(found.cohen_kappa - known) <= reach
    assert held / made < 0.5


@pytest.mark.parametrize("question", OFFERED)
def test_large_corpora_have_no_needlessly_wide_ones(question):
    for team in set(TEAMS) - {"unanimous", "careful"}:
        tallies = coverage(question, team, 0.5, "400 of 80")
        for name in tallies.made:
            assert tallies.share(name) <= 0.985, (team, name)


def main() -> None:
    """Print the tables of docs/agreement.md."""
    for question in OFFERED:
        print(f"\n**{question}**\n")
        heads = [n for n in SHOWN if n in coverage(question, "sloppy", 0.5, "200 of 40").made]
        print(
            f"| annotators | facts | candidates of users | {' | '.join(SHOWN[n] for n in heads)} |"
        )
        print("| --- | --- | --- |" + " --- |" * len(heads))
        for team in TEAMS:
            for facts in FACTS:
                known = truth(TEAMS[team], facts, question)
                values = " | ".join(f"{getattr(known, name):.3f}" for name in heads)
                print(f"| {team} | {facts:.0%} | *truth* | {values} |".replace("%", " %"))
                for size in SIZES:
                    tallies = coverage(question, team, facts, size)
                    print(f"| | | {size} | {' | '.join(_cell(tallies, n) for n in heads)} |")


def _cell(tallies: Tallies, name: str) -> str:
    made = tallies.made[name]
    return f"{100 * tallies.share(name):.1f}" + (f" ({made})" if made < CORPORA else "")


if __name__ == "__main__":
    main()
