"""What a plan supposes: of the gates, the conversations, the users and the annotators.

The defaults are the chapter's: 500 conversations with 6,100 assistant turns, 410 facts that two
people agreed on and 47 that they split on, the gate of its second row. Shares are 0-1, rates per
assistant turn. A design effect says how many times the variance is that of independent cases,
because what one user says is alike; it is that of as many sessions a user as are supposed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from labelling.tables import InputError


@dataclass(frozen=True)
class GateFigures:
    """What a gate does: records an assistant turn, right records, facts found."""

    write_rate: float = 0.18
    precision: float = 0.79
    recall: float = 0.61

    def __post_init__(self) -> None:
        """Raise InputError for figures that cannot be."""
        _check(self, 0, 1, "precision", "recall")
        _check(self, 1e-6, 100, "write_rate")


@dataclass(frozen=True)
class DesignEffects:
    """How many times as variable as independent cases, from 1."""

    precision: float = 1.5
    recall: float = 1.5
    write_rate: float = 1.5

    def __post_init__(self) -> None:
        """Raise InputError for one below 1."""
        for name, effect in vars(self).items():
            _within(f"design effect of {name}", effect, 1, 1000)


@dataclass(frozen=True)
class Assumptions:
    """All that a plan rests on; `other` is the gate to compare with."""

    gate: GateFigures = field(default_factory=GateFigures)
    other: GateFigures | None = None
    effects: DesignEffects = field(default_factory=DesignEffects)
    turns_per_session: float = 12.2
    sessions_per_user: float = 5.0
    base_rate: float = 410 / 6100
    """Facts that should be written."""
    certain_share: float = 1.0
    """Of the facts: those that annotators see for certain, proposed or in sessions read whole."""
    sample_share: float = 0.2
    """Of the sentences that nobody proposed: those that are drawn for labelling."""
    disputed_share: float = 47 / 457
    """Of the candidates: those that two annotators split on."""
    candidates_per_turn: float | None = None
    """What there is to label; out of write rates, recall and facts where it is left open."""
    annotators: int = 2
    """Answers a candidate gets; all have to agree."""
    seconds_per_answer: float = 40.0

    def __post_init__(self) -> None:
        """Raise InputError for what cannot be."""
        _check(self, 0, 1, "certain_share", "disputed_share")
        _check(self, 1e-6, 1, "sample_share")
        _check(self, 1e-6, 100, "base_rate")
        _check(self, 1, 10_000, "turns_per_session", "sessions_per_user")
        _check(self, 0.1, 3600, "seconds_per_answer")
        _check(self, 2, 20, "annotators")
        for gate in self.gates:
            if gate.recall > self.certain_share:
                raise InputError(
                    f"recall is {gate.recall:g} where {self.certain_share:g} of the facts are seen "
                    "for certain",
                    expected="a recall of at most that: what a gate proposes is seen for certain",
                )

    @property
    def gates(self) -> tuple[GateFigures, ...]:
        """The gate, and the one to compare it with."""
        return (self.gate,) if self.other is None else (self.gate, self.other)

    @property
    def disputed(self) -> float:
        """Share of candidates on which so many annotators are not of one mind.

        Two split on half of what each answers by the toss of a coin; k agree on it once in
        2^(k - 1) cases.
        """
        tossed = min(2 * self.disputed_share, 1.0)
        return float(tossed * (1 - 0.5 ** (self.annotators - 1)))

    @property
    def to_label(self) -> float:
        """Candidates an assistant turn: records, and the facts they miss that are seen all the
        same."""
        if self.candidates_per_turn is not None:
            return self.candidates_per_turn
        found = [gate.recall for gate in self.gates]
        twice = self.base_rate * min(found) * (len(found) - 1)
        missed = max(self.certain_share - max(found), 0.0)
        missed += (1 - self.certain_share) * self.sample_share
        return sum(gate.write_rate for gate in self.gates) - twice + self.base_rate * missed


def _check(made: object, low: float, high: float, *names: str) -> None:
    for name in names:
        _within(name, getattr(made, name), low, high)


def _within(name: str, found: float, low: float, high: float) -> None:
    if not low <= found <= high:
        raise InputError(f"{name} is {found:g}", expected=f"from {low:g} to {high:g}")


def supposed(known: Assumptions | None, stated: Mapping[str, Any]) -> Assumptions:
    """The stated figures (null: not stated) before what is known, before the defaults.

    `stated["gate"]` and `["other"]` are figures of a gate; what is left out of the other gate's is
    the first one's. `stated["effects"]` is one design effect for all.
    """
    base = known or Assumptions()
    gate = replace(base.gate, **_given(stated["gate"]))
    other = _given(stated["other"])
    rest = _given({k: v for k, v in stated.items() if k not in ("gate", "other", "effects")})
    effect = stated["effects"]
    return replace(
        base,
        gate=gate,
        other=replace(base.other or gate, **other) if other else base.other,
        effects=base.effects if effect is None else DesignEffects(effect, effect, effect),
        **rest,
    )


def _given(stated: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in stated.items() if value is not None}
