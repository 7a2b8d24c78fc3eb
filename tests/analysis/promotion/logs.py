"""Random observation logs, small and full of what goes wrong at edges."""

from datetime import UTC, date, datetime, timedelta

from hypothesis import strategies as st

from analysis.promotion import PromotionRule

FIRST = date(2026, 1, 1)
CLAIMS = ("wants_concise", "wants_verbose", "no_preamble", "wants_tables")
QUOTES = (
    "shorter please",
    "ALWAYS short",
    "In Future: tables",
    "from now on",
    "Alway\u017f",
    "É toujours",
)


def _row(values):
    user, obs, session, turn, quote, tokens, day, minute, topic = values
    at = datetime(FIRST.year, FIRST.month, FIRST.day, tzinfo=UTC) + timedelta(day, minutes=minute)
    return {
        "user_id": user,
        "obs": obs,
        "session": session,
        "turn": turn,
        "quote": quote,
        "prior_output_tokens": tokens,
        "at": at,
        "topic": topic,
    }


ROWS = st.tuples(
    st.sampled_from(["u1", "u2"]),
    st.sampled_from(CLAIMS),
    st.sampled_from(["s1", "s2", "s3"]),
    st.integers(0, 3),
    st.sampled_from(QUOTES) | st.just("shorter"),
    st.none() | st.sampled_from([0, 100, 299, 300, 301, 600, 799, 800, 2000]),
    st.integers(0, 24),
    st.sampled_from([0, 1, 1439]),
    st.none() | st.sampled_from(["sql", "prose"]),
).map(_row)
LOGS = st.lists(ROWS, max_size=24)
DAYS = st.integers(-2, 40).map(lambda n: FIRST + timedelta(n))
PAIRS = st.lists(st.sampled_from([(a, b) for a in CLAIMS for b in CLAIMS if a != b]), max_size=4)
RULES = st.builds(
    PromotionRule,
    min_observations=st.integers(1, 4),
    min_sessions=st.integers(1, 3),
    window_days=st.sampled_from([0, 1, 5, 10, 30]),
    contradiction=st.sampled_from(["hold", "majority", "ignore"]),
    opposites=PAIRS,
    generalising=st.sampled_from([("always", "in future"), ("from now on", "é"), ()]),
    generalising_skips_contradiction=st.booleans(),
    explained_by_output=st.booleans(),
    same_topic=st.booleans(),
    later_generalisation_wins=st.booleans(),
)
