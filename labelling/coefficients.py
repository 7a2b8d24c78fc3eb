"""Agreement statistics: how far two or more annotators give the same answers.

Ratings are equally long sequences, one per annotator, one place per unit; None is missing. Behind
the door only counts are left: how many units got which answers. Every coefficient runs to 1
(perfect); kappa, pi, alpha and AC1 are 0 at what chance alone would give, each by its own idea of
chance. Undefined is None with a reason. No number here has a verdict word.

Sources: Cohen 1960 (kappa); Fleiss, Cohen & Everitt 1969 (its standard error); Scott 1955 (pi);
Krippendorff 2011 (alpha); Gwet 2008 (AC1); Byrt, Bishop & Carlin 1993 (PABAK and the indices);
Cicchetti & Feinstein 1990 (positive and negative agreement).
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import accumulate, combinations
from math import sqrt
from typing import Any

from labelling.statistics import ratio
from labelling.tables import InputError

Answer = Hashable
Answers = Sequence[Answer | None]
Unit = tuple[Answer | None, ...]
Counts = Mapping[Unit, int]
"""The answers to a unit, one per annotator -> how many units got just these."""

LEVELS = ("nominal", "ordinal", "interval")
"""What answers are to each other: names, ranks, or numbers."""

_ONE_ANSWER = "everybody gave one and the same answer, so chance alone would agree as well"
_NO_PAIRS = "no unit has two answers"


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
    return statistics_of_counts(_counts({"a": a, "b": b}), offered, positive)


def statistics_of_counts(
    units: Counts, offered: Iterable[Answer] | None = None, positive: Answer = "yes"
) -> Agreement:
    """`statistics` of two annotators' answers, where units that got the same ones are counted."""
    both = {unit: n for unit, n in units.items() if None not in unit}
    answers = _answers(units, offered)
    cells = _Cells(both)
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


def krippendorff_alpha(ratings: Mapping[str, Answers], level: str = "nominal") -> float | None:
    """Krippendorff's alpha for any number of annotators (name -> answers) with gaps.

    `level` is nominal, ordinal (answers that sort) or interval (numbers). Units with fewer than
    two answers do not count; None where fewer than two different answers are left.
    """
    return alpha_of_counts(_counts(ratings), level)


def alpha_of_counts(units: Counts, level: str = "nominal") -> float | None:
    """`krippendorff_alpha`, where units that got the same answers are counted."""
    if level not in LEVELS:
        raise InputError(f"there is no level {level!r}", expected=f"one of: {', '.join(LEVELS)}")
    answered = _answered(units, at_least=2)
    totals: Counter[Any] = Counter()
    for unit in answered:
        totals.update({answer: unit.units * n for answer, n in unit.given.items()})
    distance = _distance(level, totals)
    observed = sum(
        2 * unit.units * unit.given[c] * unit.given[k] * distance(c, k) / (unit.m - 1)
        for unit in answered
        for c, k in combinations(unit.given, 2)
    )
    expected = sum(2 * totals[c] * totals[k] * distance(c, k) for c, k in combinations(totals, 2))
    share = ratio((totals.total() - 1) * observed, expected)
    return None if share is None else 1 - share


def gwet_ac1(
    ratings: Mapping[str, Answers], offered: Iterable[Answer] | None = None
) -> float | None:
    """Gwet's AC1 for any number of annotators (name -> answers) with gaps.

    Agreement is averaged over units with at least two answers, the answers' shares over units with
    at least one. None where no unit has two answers or fewer than two answers were offered.
    """
    return ac1_of_counts(_counts(ratings), offered)


def ac1_of_counts(units: Counts, offered: Iterable[Answer] | None = None) -> float | None:
    """`gwet_ac1`, where units that got the same answers are counted."""
    answers = _answers(units, offered)
    answered = _answered(units, at_least=1)
    paired = [unit for unit in answered if unit.m >= 2]
    if not paired or len(answers) < 2:
        return None
    equal = sum(unit.units * unit.equal_pairs for unit in paired)
    agreed = equal / sum(unit.units for unit in paired)
    n = sum(unit.units for unit in answered)
    shares = [sum(u.units * u.given[k] / u.m for u in answered) / n for k in answers]
    chance = sum(share * (1 - share) for share in shares) / (len(answers) - 1)
    return ratio(agreed - chance, 1 - chance)


class _Cells:
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
    cells: _Cells, answers: tuple[Answer, ...], positive: Answer
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


def _kappa(cells: _Cells) -> dict[str, float | None]:
    kappa = ratio(cells.n * cells.agree - cells.product, cells.n**2 - cells.product)
    return {
        "cohen_kappa": kappa,
        "cohen_kappa_se_fleiss_cohen_everitt": None if kappa is None else _se(cells, kappa),
        "cohen_kappa_se_cohen_1960": None if kappa is None else _se_1960(cells),
    }


def _se_1960(cells: _Cells) -> float:
    agreed, chance = cells.agree / cells.n, cells.product / cells.n**2
    return sqrt(agreed * (1 - agreed) / (cells.n * (1 - chance) ** 2))


def _se(cells: _Cells, kappa: float) -> float:
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


def _reason(name: str, cells: _Cells, answers: tuple[Answer, ...], positive: Answer) -> str:
    """Why a statistic of two annotators has no value."""
    if not cells.n:
        return _NO_PAIRS
    if name == "gwet_ac1":
        return "it needs at least two answers to choose from; only one was offered"
    if name.startswith("cohen") or name in ("scott_pi", "krippendorff_alpha_nominal"):
        return _ONE_ANSWER
    if len(answers) != 2:
        return f"it is defined for two answers; {len(answers)} were offered"
    if positive not in answers:
        return f"{positive!r}, the positive answer, was not offered"
    return "neither gave this answer"


def _distance(level: str, totals: Counter[Any]) -> Callable[[Any, Any], float]:
    """The squared difference of two answers; ordinal ones differ by their middle ranks."""
    if level == "nominal":
        return lambda _c, _k: 1.0
    try:
        if level == "interval":
            place = {value: float(value) for value in totals}
        else:
            order = sorted(totals)
            ends = accumulate(totals[value] for value in order)
            place = {v: end - totals[v] / 2 for v, end in zip(order, ends, strict=True)}
    except (TypeError, ValueError) as error:
        expected = "numbers" if level == "interval" else "answers that can be put in order"
        raise InputError(f"the answers have no {level} level", expected=expected) from error
    return lambda c, k: (place[c] - place[k]) ** 2


@dataclass(frozen=True)
class _Answered:
    """So many `units` whose answers are these: `given` counts each of the `m` of a unit."""

    given: Counter[Any]
    m: int
    units: int

    @property
    def equal_pairs(self) -> float:
        """The share of a unit's pairs of answers that are equal; m is at least 2."""
        return sum(n * (n - 1) for n in self.given.values()) / (self.m * (self.m - 1))


def _counts(ratings: Mapping[str, Answers]) -> Counts:
    """Raises InputError for annotators of unequal lengths."""
    lengths = {name: len(answers) for name, answers in ratings.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(
            f"the annotators have unequal numbers of answers ({lengths})",
            expected="one answer or None for each unit",
        )
    return Counter(zip(*ratings.values(), strict=True))


def _answered(units: Counts, *, at_least: int) -> list[_Answered]:
    """The units with at least so many answers."""
    given = ((Counter(x for x in unit if x is not None), n) for unit, n in units.items())
    answered = (_Answered(answers, answers.total(), n) for answers, n in given)
    return [unit for unit in answered if unit.m >= at_least]


def _answers(
    units: Iterable[Iterable[Answer | None]], offered: Iterable[Answer] | None
) -> tuple[Answer, ...]:
    """The answers offered, or those seen; raises InputError for one seen that was not offered."""
    # a dict, not a set: sums over the answers come out the same to the last bit in every run
    seen = dict.fromkeys(answer for unit in units for answer in unit if answer is not None)
    answers = dict.fromkeys(seen if offered is None else offered)
    strange = [repr(answer) for answer in seen if answer not in answers]
    if strange:
        expected = f"one of: {', '.join(map(repr, answers))}"
        raise InputError(f"the answer {strange[0]} was not offered", expected=expected)
    return tuple(answers)
