"""The rule that decides when observations add up to a claim: every guard is a switch.

Days are whole UTC days, lengths are tokens of the answer before the utterance, both bounds are
inclusive. The defaults are the rule of chapter 2; `RECOMMENDED` adds what its text asks for and its
code does not check.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from itertools import chain
from typing import Any, Literal, get_args

from labelling.tables import InputError

Contradiction = Literal["hold", "majority", "ignore"]
"""hold: any live opposite holds the claim back; majority: unless it has strictly more sessions."""


@dataclass(frozen=True)
class PromotionRule:
    """When a claim about a user is promoted; raises InputError for a rule that cannot be meant."""

    min_observations: int = 3
    min_sessions: int = 2
    window_days: int = 90
    contradiction: Contradiction = "hold"
    opposites: tuple[tuple[str, str], ...] = (("wants_concise", "wants_verbose"),)
    generalising: tuple[str, ...] = (
        "always",
        "from now on",
        "every time",
        "in future",
        "i keep having to",
    )
    generalising_skips_contradiction: bool = True
    explained_by_output: bool = False
    too_long: tuple[str, ...] = ("wants_concise",)
    too_short: tuple[str, ...] = ("wants_verbose",)
    short_output_tokens: int = 300
    long_output_tokens: int = 800
    min_length_ratio: float = 2.0
    same_topic: bool = False
    later_generalisation_wins: bool = False

    def __post_init__(self) -> None:
        """Lists become tuples, so that rules read from a file can be compared and hashed."""
        for name in ("opposites", "generalising", "too_long", "too_short"):
            object.__setattr__(self, name, _tuples(getattr(self, name)))
        for problem, expected in _problems(self):
            raise InputError(f"promotion rule: {problem}", expected=expected)

    @property
    def as_json(self) -> str:
        """The rule as one line of JSON, the same for equal rules."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    def opponents(self) -> list[tuple[str, str]]:
        """Every (claim, opposite), both ways round, without doubles."""
        return sorted({*self.opposites, *((b, a) for a, b in self.opposites)})


def from_mapping(values: Mapping[str, Any], where: str) -> PromotionRule:
    """A rule from field names and values, as a TOML file has them."""
    unknown = sorted(set(values) - {field.name for field in fields(PromotionRule)})
    if unknown:
        raise InputError(
            f"{where} has {unknown[0]!r}",
            expected="of: " + ", ".join(field.name for field in fields(PromotionRule)),
        )
    return replace(PromotionRule(), **values)


def _tuples(value: Any) -> Any:
    is_list = isinstance(value, list | tuple)
    return tuple(_tuples(item) for item in value) if is_list else value


def _problems(rule: PromotionRule) -> list[tuple[str, str]]:
    """What is wrong with the rule, each with what was expected."""
    found: list[tuple[str, str]] = []
    for field in fields(rule):
        value, default = getattr(rule, field.name), field.default
        if not _same_kind(value, default):
            found.append((f"{field.name} is {value!r}", f"such as {default!r}"))
    return found or [*_out_of_range(rule), *_unclear_claims(rule)]


def _same_kind(value: Any, default: Any) -> bool:
    if isinstance(default, tuple):
        whole = isinstance(value, tuple)
        return whole and all(_same_kind(item, default[0]) for item in value)
    if isinstance(default, bool) or isinstance(value, bool):
        return type(value) is type(default)
    return isinstance(value, int | float if isinstance(default, float) else type(default))


def _out_of_range(rule: PromotionRule) -> list[tuple[str, str]]:
    least = {"min_observations": 1, "min_sessions": 1, "window_days": 0, "min_length_ratio": 1}
    found = [
        (f"{name} is {getattr(rule, name)}", f"{low} or more")
        for name, low in least.items()
        if not getattr(rule, name) >= low
    ]
    if rule.contradiction not in get_args(Contradiction):
        expected = ", ".join(get_args(Contradiction))
        found.append((f"contradiction is {rule.contradiction!r}", f"one of {expected}"))
    if "" in rule.generalising:
        found.append(("a generalising phrase is empty: every quote has it", "a phrase"))
    return found


def _unclear_claims(rule: PromotionRule) -> list[tuple[str, str]]:
    found = [
        (f"opposites has {pair!r}", "pairs of two different claims")
        for pair in rule.opposites
        if len(pair) != 2 or pair[0] == pair[1]
    ]
    both = set(rule.too_long) & set(rule.too_short)
    if both:
        found.append((f"{min(both)!r} is in too_long and in too_short", "one of the two"))
    return found


def claims_named(rule: PromotionRule) -> set[str]:
    """Every claim that the rule speaks of."""
    return {*chain.from_iterable(rule.opposites), *rule.too_long, *rule.too_short}


RECOMMENDED = PromotionRule(
    explained_by_output=True, same_topic=True, later_generalisation_wins=True
)
"""The chapter's rule, with its reading of answer lengths and topics, and one winner of two."""
