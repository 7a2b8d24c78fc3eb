"""Agreement of all annotators together: every pair of answers to a unit counts once.

Nothing here depends on who comes first. Kappa is the pairs' kappas, weighted by how many
disagreements chance would make (of two annotators: Cohen's kappa; Conger 1980, Davies & Fleiss 1982
for complete answers); alpha and AC1 are those of all annotators.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

from labelling.agreement.counts import Answer, Counts, Unit
from labelling.agreement.pairs import (
    NO_PAIRS,
    ONE_ANSWER,
    Agreement,
    Cells,
    statistics_of_counts,
)
from labelling.agreement.several import ac1_of_counts, alpha_of_counts
from labelling.statistics import ratio

OF_A_PAIR = "it is of two named annotators, one against the other"
ERRORS = ("cohen_kappa_se_fleiss_cohen_everitt", "cohen_kappa_se_cohen_1960")


def pooled(units: Counts, offered: Iterable[Answer]) -> Agreement:
    """Statistics of all annotators; `n` counts pairs of answers, `excluded` units with one answer.

    bias_index is null: nobody comes first. The standard errors of kappa are of a single pair.
    """
    answers = tuple(offered)
    several = {unit: n for unit, n in units.items() if len(unit) - unit.count(None) >= 2}
    pairs = [between(several, i, j) for i, j in combinations(range(_places(several)), 2)]
    met = [pair for pair in pairs if pair]
    found = statistics_of_counts(_both_ways(met), answers)
    kappa = _kappa(met)
    whole = replace(
        found,
        cohen_kappa=kappa,
        cohen_kappa_se_cohen_1960=None,
        cohen_kappa_se_fleiss_cohen_everitt=None,
        krippendorff_alpha_nominal=alpha_of_counts(several),
        gwet_ac1=ac1_of_counts(several, answers),
        bias_index=None,
        n=found.n // 2,
        excluded=sum(units.values()) - sum(several.values()),
        reasons={**found.reasons, **_reasons(met, kappa)},
    )
    return _with_errors(whole, met[0], answers) if len(met) == 1 else whole


def between(units: Counts, i: int, j: int) -> Counter[Unit]:
    """What the annotators at places i and j answered, of the units that both did."""
    pairs: Counter[Unit] = Counter()
    for unit, n in units.items():
        if unit[i] is not None and unit[j] is not None:
            pairs[unit[i], unit[j]] += n
    return pairs


def _places(units: Counts) -> int:
    return len(next(iter(units), ()))


def _both_ways(pairs: Iterable[Counts]) -> Counter[Unit]:
    turned: Counter[Unit] = Counter()
    for pair in pairs:
        for (x, y), n in pair.items():
            turned[x, y] += n
            turned[y, x] += n
    return turned


def _kappa(pairs: Iterable[Counts]) -> float | None:
    """1 - disagreements / those that chance would make, each summed over pairs of annotators."""
    cells = [Cells(pair) for pair in pairs]
    split = sum(c.n - c.agree for c in cells)
    share = ratio(split, sum((c.n**2 - c.product) / c.n for c in cells))
    return None if share is None else 1 - share


def _reasons(pairs: list[Counter[Unit]], kappa: float | None) -> dict[str, str]:
    if not pairs:
        return {}
    several = f"it is of one pair of annotators; {len(pairs)} pairs are counted here"
    return {
        "bias_index": OF_A_PAIR,
        **dict.fromkeys(ERRORS, several),
        **({"cohen_kappa": ONE_ANSWER} if kappa is None else {}),
    }


def _with_errors(whole: Agreement, pair: Counts, answers: tuple[Answer, ...]) -> Agreement:
    """With the standard errors of the only pair."""
    one = statistics_of_counts(pair, answers)
    reasons = {name: why for name, why in whole.reasons.items() if name not in ERRORS}
    reasons |= {name: one.reasons[name] for name in ERRORS if name in one.reasons}
    errors = {name: getattr(one, name) for name in ERRORS}
    return replace(whole, **errors, reasons=reasons)


__all__ = ["NO_PAIRS", "OF_A_PAIR", "between", "pooled"]
