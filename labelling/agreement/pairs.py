"""Agreement of two annotators, unit by unit.

Every coefficient runs to 1 (perfect); kappa, pi, alpha and AC1 are 0 at what chance alone would
give, each by its own idea of chance. Undefined is None with a reason. No number here has a verdict
word.

Sources: Cohen 1960 (kappa); Fleiss, Cohen & Everitt 1969 (its standard error); Scott 1955 (pi);
Byrt, Bishop & Carlin 1993 (PABAK and the indices); Cicchetti & Feinstein 1990 (positive and
negative agreement).
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from math import sqrt

from labelling.agreement.counts import Answer, Answers, Counts, answers_of, counts_of
from labelling.agreement.several import ac1_of_counts, alpha_of_counts
from labelling.statistics import ratio

ONE_ANSWER = "everybody gave one and the same answer, so chance alone would agree as well"
NO_PAIRS = "no unit has two answers"


@dataclass(frozen=True)
class Agreement:
    """Two annotators over `n` units that both answered; `excluded` units lack an answer.

    positive_agreement, negative_agreement, pabak, prevalence_index = (both positive - both
    negative) / n and bias_index = (a alone positive - b alone positive) / n need two answers.
    """

    percent_agreement: float | None
    positive_agreement: float | None
    negative_agreement: float | None
    cohen_kappa: float | None
    cohen_kappa_se_fleiss_cohen_everitt: float | None
    cohen_kappa_se_cohen_1960: float | None
    scott_pi: float | None
    krippendorff_alpha_nominal: float | None
    gwet_ac1: float | None
    pabak: float | None
    prevalence_index: float | None
    bias_index: float | None
    n: int
    excluded: int
    reasons: dict[str, str] = field(default_factory=dict)


STATISTICS = tuple(f.name for f in fields(Agreement) if f.name not in {"n", "excluded", "reasons"})
"""Names of the statistics, in the order of `Agreement`."""


def statistics(
    a: Answers, b: Answers, offered: Iterable[Answer] | None = None, positive: Answer = "yes"
) -> Agreement:
    """Agreement of two annotators' answers, unit by unit.

    `offered` are the answers there were to choose from (default: those seen); `positive` is the one
    that positive agreement counts. Raises InputError for unequal lengths or an answer not offered.

    >>> found = statistics(["yes", "yes", "no", None], ["yes", "no", "no", "no"])
    >>> found.percent_agreement, found.n, found.excluded
    (0.6666666666666666, 3, 1)
    """
    return statistics_of_counts(counts_of({"a": a, "b": b}), offered, positive)


def statistics_of_counts(
    units: Counts, offered: Iterable[Answer] | None = None, positive: Answer = "yes"
) -> Agreement:
    """`statistics` of two annotators' answers, where units that got the same ones are counted."""
    both = {unit: n for unit, n in units.items() if None not in unit}
    answers = answers_of(units, offered)
    cells = Cells(both)
    values = {
        "percent_agreement": ratio(cells.agree, cells.n),
        **_two_answers(cells, answers, positive),
        **_kappa(cells),
        "scott_pi": ratio(4 * cells.n * cells.agree - cells.pooled, 4 * cells.n**2 - cells.pooled),
        "krippendorff_alpha_nominal": alpha_of_counts(both),
        "gwet_ac1": ac1_of_counts(both, answers),
    }
    missing = [name for name, value in values.items() if value is None]
    reasons = {name: _reason(name, cells, answers, positive) for name in missing}
    return Agreement(**values, n=cells.n, excluded=sum(units.values()) - cells.n, reasons=reasons)


class Cells:
    """Counts over the (a's answer, b's answer) pairs of the units that both answered."""

    def __init__(self, pairs: Counts) -> None:
        self.n = sum(pairs.values())
        self.of, self.a, self.b = Counter(pairs), Counter[Answer](), Counter[Answer]()
        for (x, y), n in pairs.items():
            self.a[x] += n
            self.b[y] += n
        self.agree = sum(self.of[k, k] for k in self.a)
        self.product = sum(self.a[k] * self.b[k] for k in self.a)
        """n^2 times the agreement that kappa expects."""
        self.pooled = sum((self.a + self.b)[k] ** 2 for k in self.a + self.b)
        """4 n^2 times the agreement that pi expects."""


def _two_answers(
    cells: Cells, answers: tuple[Answer, ...], positive: Answer
) -> dict[str, float | None]:
    """What is defined for two answers only; `positive` is one of them."""
    names = ("positive_agreement", "negative_agreement", "pabak", "prevalence_index", "bias_index")
    if len(answers) != 2 or positive not in answers:
        return dict.fromkeys(names)
    negative = answers[answers.index(positive) - 1]  # the other of two
    a, d = cells.of[positive, positive], cells.of[negative, negative]
    b, c = cells.of[positive, negative], cells.of[negative, positive]
    values = (
        ratio(2 * a, 2 * a + b + c),
        ratio(2 * d, 2 * d + b + c),
        ratio(a + d - b - c, cells.n),  # 2 x percent agreement - 1
        ratio(a - d, cells.n),
        ratio(b - c, cells.n),
    )
    return dict(zip(names, values, strict=True))


def _kappa(cells: Cells) -> dict[str, float | None]:
    kappa = ratio(cells.n * cells.agree - cells.product, cells.n**2 - cells.product)
    return {
        "cohen_kappa": kappa,
        "cohen_kappa_se_fleiss_cohen_everitt": None if kappa is None else _se(cells, kappa),
        "cohen_kappa_se_cohen_1960": None if kappa is None else _se_1960(cells),
    }


def _se_1960(cells: Cells) -> float:
    agreed, chance = cells.agree / cells.n, cells.product / cells.n**2
    return sqrt(agreed * (1 - agreed) / (cells.n * (1 - chance) ** 2))


def _se(cells: Cells, kappa: float) -> float:
    """Fleiss, Cohen & Everitt 1969, formula 13: of a kappa that may differ from 0."""
    n, chance = cells.n, cells.product / cells.n**2
    on = sum(
        cells.of[k, k] / n * (1 - (cells.a[k] + cells.b[k]) / n * (1 - kappa)) ** 2 for k in cells.a
    )
    off = sum(
        count / n * ((cells.b[x] + cells.a[y]) / n) ** 2
        for (x, y), count in cells.of.items()
        if x != y
    )
    variance = on + (1 - kappa) ** 2 * off - (kappa - chance * (1 - kappa)) ** 2
    return sqrt(max(variance, 0.0) / n) / (1 - chance)


def _reason(name: str, cells: Cells, answers: tuple[Answer, ...], positive: Answer) -> str:
    """Why a statistic of two annotators has no value."""
    if not cells.n:
        return NO_PAIRS
    if name == "gwet_ac1":
        return "it needs at least two answers to choose from; only one was offered"
    if name.startswith("cohen") or name in ("scott_pi", "krippendorff_alpha_nominal"):
        return ONE_ANSWER
    if len(answers) != 2:
        return f"it is defined for two answers; {len(answers)} were offered"
    if positive not in answers:
        return f"{positive!r}, the positive answer, was not offered"
    return "neither gave this answer"
