"""Style leak: what is told apart, what is not, and what cannot be said."""

import random
import sys

import polars as pl
import pytest

from labelling import style
from labelling.statistics import auc_interval
from labelling.style import leak, style_leak
from labelling.tables import InputError, check
from labelling.tasks import one_form
from tests.studies import rows

USERS = [f"u{n}" for n in range(10)]
WORDS = "billing runs nightly in the warehouse after midnight for every region and team".split()


def study(say, *, each=4):
    """Ten users with so many proposed and sampled candidates each; `say(sampled)` words them."""
    dice = random.Random(7)
    made = [
        {
            "candidate_id": f"{user}-{n}-{stratum}",
            "session_id": user,
            "statement": say(stratum == "sampled", dice),
            "strata": [stratum],
        }
        for user in USERS
        for n in range(each)
        for stratum in ("proposed", "sampled")
    ]
    sessions = [{"session_id": user, "user_id": user} for user in USERS]
    return rows("candidates", *made), rows("sessions", *sessions)


def plain(sampled, dice):
    return " ".join(dice.choices(WORDS, k=6))


def test_words_that_differ_are_told_apart_and_one_form_takes_off_what_is_only_form():
    same = style_leak(*study(plain))
    assert same["form"].to_list() == ["stored", "shown", "page"]
    assert same.select(((pl.col("low") < 0.5) & (pl.col("high") > 0.5)).all()).item()
    stops = style_leak(*study(lambda sampled, dice: plain(sampled, dice) + "." * (not sampled)))
    stored, shown, _ = stops["auc"]
    assert stored > 0.8
    assert 0.3 < shown < 0.7  # the full stop was all that gave it away
    words = style_leak(*study(lambda s, dice: ("I said " if s else "Wants ") + plain(s, dice)))
    assert words["auc"][1] > 0.9
    assert words["low"][1] > 0.5
    assert check("style", words).bad.is_empty()


def test_too_few_is_null_with_its_reason():
    candidates, sessions = study(plain, each=1)
    (why,) = style_leak(candidates, sessions)["reason"].unique()
    assert why == "10 proposed candidates, and 20 are needed"
    several = sessions.with_columns(user_id=pl.lit("one"))
    assert "1 users with" in style_leak(study(plain)[0], several)["reason"][0]


def test_without_scikit_learn_it_is_one_sentence(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "sklearn.model_selection", None)
    with pytest.raises(InputError, match="scikit-learn is not installed"):
        leak(["a", "b"], [True, False], ["u", "v"])
    assert style_leak(*study(plain))["reason"].unique().to_list() == [style.MISSING]


def test_the_auc_is_the_share_of_pairs_in_order_within_folds():
    scores, kinds = [3, 1, 2, 2, 9, 0], [1, 1, 0, 0, 0, 0]
    # fold 0: 3 beats 2 and 2, 1 beats none; fold 1 has no positive, so no pair
    found = auc_interval(scores, kinds, list("abcdef"), [0, 0, 0, 0, 1, 1])
    assert found.value == 0.5
    tied = auc_interval([1, 1], [1, 0], ["a", "b"], [0, 0])
    assert tied.value == 0.5
    assert (
        auc_interval([1, 2], [1, 1], ["a", "b"], [0, 0]).reason == "no fold has cases of both kinds"
    )


def test_perfect_order_among_few_users_is_no_certainty():
    few = auc_interval([1] * 20 + [0] * 20, [1] * 20 + [0] * 20, list("abcd") * 10, [0] * 40)
    assert (few.value, few.high) == (1, 1)
    assert few.low < 0.5  # four users


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("Wants  “tidy”\n‘SQL’.", "Wants \"tidy\" 'SQL'"),
        ("Is it?", "Is it?"),
        ("and then...", "and then..."),
        ("e.g", "e.g"),
        (".", "."),
        ("", ""),
    ],
)
def test_one_form_changes_no_word(stored, shown):
    assert one_form(stored) == shown
    assert one_form(shown) == shown
