"""The simulated world: what there is in it, in stated rates, and its sessions.

A row of `sessions` is a conversation in the order of time; `length` is its assistant turns, which
alternate with as many user turns, the user first. Facts and traps (what must not be written) come
at rates per assistant turn, times a factor of the user's.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt
import polars as pl

from labelling.simulate.streams import stream
from labelling.tables import InputError, split_of

Floats = npt.NDArray[np.float64]

FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)
DAYS = 180
SHORTEST = 2
"""Assistant turns of the shortest session: a fact over several turns needs two."""
MOST = 10_000_000
"""Of anything that is counted."""


@dataclass(frozen=True)
class World:
    """What there is to find. Rates are expected counts per assistant turn, shares are 0-1.

    The defaults give what the chapter's 500 conversations have, in expectation: 6,100 assistant
    turns, 410 facts that `chapter.ANNOTATORS` agree on and 47 that they split on.
    """

    sessions: int = 500
    turns_per_session: float = 12.2
    """Assistant turns, expected; at least 2."""
    sessions_per_user: float = 5.0
    user_spread: float = 0.5
    """Standard deviation of the users' factors, whose mean is 1: how far sessions of a user go
    together."""
    facts_per_turn: float = 474.5 / 6100
    ambiguous_share: float = 0.159
    """Of the facts: those on which people toss a coin; half of them should be written."""
    oblique_share: float = 70 / 410
    multi_turn_share: float = 48 / 410
    dated_share: float = 0.05
    """Of the stated facts: those that are true until a date, and say so."""
    changing_share: float = 0.1
    """Of the restatements in a later session: those that bring another value."""
    situational_per_turn: float = 0.06
    assistant_claims_per_turn: float = 0.04
    third_person_per_turn: float = 0.02
    slots: int = 13
    """Things a user has a value for; few slots make many restatements."""
    read_share: float = 1.0
    """Of the sessions: those that the annotators read whole, marking every fact."""
    sample_share: float = 0.02
    """Of the users' sentences that no gate proposed: those that are drawn for labelling."""

    def __post_init__(self) -> None:
        """Raise InputError for a world that cannot be."""
        least = {"sessions": 1, "turns_per_session": SHORTEST, "sessions_per_user": 1, "slots": 1}
        shares = {name for name in vars(self) if name.endswith(("share", "spread", "per_turn"))}
        for name, low in least.items():
            if not low <= getattr(self, name) <= MOST:
                raise InputError(f"{name} is {getattr(self, name)}", expected=f"{low} to {MOST:,}")
        for name in sorted(shares):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name} is {getattr(self, name)}", expected="from 0 to 1")

    def rate(self, trap: str | None) -> float:
        """Expected claims per assistant turn: facts (None) or traps of a kind.

        Each fact brings one claim with an invented scope and one with a mistyped value.
        """
        told = {
            "situational": self.situational_per_turn,
            "assistant_claim": self.assistant_claims_per_turn,
            "third_person": self.third_person_per_turn,
        }
        return self.facts_per_turn if trap is None else told.get(trap, self.facts_per_turn)


def make_sessions(world: World, seed: int) -> pl.DataFrame:
    """session, session_id, user, user_id, split, length, activity (the factor), started_at."""
    rng = stream(seed, "sessions")
    n = world.sessions
    users = max(1, round(n / world.sessions_per_user))
    activity = _factors(rng, world.user_spread, users)
    user = rng.integers(users, size=n)
    mean = world.turns_per_session - SHORTEST
    seconds = np.sort(rng.integers(DAYS * 86_400, size=n))
    names = [f"user-{number:06}" for number in range(users)]
    splits = [split_of(name) for name in names]
    columns = {
        "session": np.arange(n),
        "session_id": [f"session-{number:07}" for number in range(n)],
        "user": user,
        "user_id": [names[number] for number in user],
        "split": [splits[number] for number in user],
        "seconds": seconds,
        "length": SHORTEST + rng.poisson(rng.gamma(2.0, mean / 2, n)),
        "activity": activity[user],
    }
    start = pl.lit(FIRST_DAY, pl.Datetime("us", "UTC"))
    return pl.DataFrame(columns).with_columns(started_at=start + pl.duration(seconds="seconds"))


def _factors(rng: np.random.Generator, spread: float, users: int) -> Floats:
    """Gamma factors with mean 1."""
    return rng.gamma(spread**-2, spread**2, users) if spread else np.ones(users)
