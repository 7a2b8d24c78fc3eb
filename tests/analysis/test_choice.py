"""Thresholds are chosen on some users and reported on others."""

import polars as pl
import pytest

from analysis.choice import choose, cross_fitted, fold_of
from analysis.curve import curve
from analysis.points import point
from analysis.slices import of_users
from tests.scored import slices


def people(n=12, each=6, apart=0.01):
    """Users with facts that score high and traps that score a little lower, different for each."""
    cards, records, sessions = [], [], []
    for u in range(n):
        sessions.append({"session_id": f"s{u}", "user_id": f"user {u}"})
        for i in range(each):
            right = (i + u) % 3 > 0
            score = i / each + (0.3 if right else 0.0) + u * apart
            records.append({"card": len(cards), "score": round(score, 3)})
            decision = "accepted" if right else "rejected"
            cards.append({"decision": decision, "session_id": f"s{u}"})
    (found,) = slices(cards, records, sessions)
    return found


def test_the_loosest_threshold_that_is_precise_enough_is_chosen():
    table = curve(people())
    chosen = choose(table, at_least_precision=0.8)
    assert chosen.precision >= 0.8
    looser = table.filter(pl.col("threshold") < chosen.threshold)
    assert (looser["precision"] < 0.8).all()


def test_where_nothing_is_precise_enough_it_is_said():
    table = curve(people()).with_columns(precision=pl.lit(0.5))
    assert choose(table).reason == "no threshold reaches a precision of 0.9"
    (mute,) = slices([{"decision": "accepted"}], [{"card": 0}])
    assert choose(curve(mute)).reason == "the gate has no scores"


def test_each_fold_is_reported_at_what_the_others_chose():
    found = people()
    table = cross_fitted(found, at_least_precision=0.8, folds=3)
    users = found.ground.sessions["user_id"]
    for row in table.drop_nulls("fold").to_dicts():
        mine = users.filter([fold_of(user, 3) == row["fold"] for user in users])
        others = users.filter(~users.is_in(mine.implode()))
        chosen = choose(curve(of_users(found, others)), at_least_precision=0.8)
        assert row["threshold"] == chosen.threshold
        held = point(of_users(found, mine), chosen.threshold)
        assert row["precision"] == pytest.approx(held["precision"])
        assert row["recall"] == pytest.approx(held["recall"])
    whole = table.filter(pl.col("fold").is_null()).to_dicts()[0]
    assert whole["users"] == users.n_unique()
    judged = whole["correct_records"] + whole["wrong_records"]
    assert whole["precision"] == pytest.approx(whole["correct_records"] / judged)
    assert whole["reference_weight"] == found.facts["weight"].sum()
    for measure in ("precision", "recall", "wrong_per_1000_turns", "write_rate"):
        assert whole[f"{measure}_ci_low"] < whole[measure] < whole[f"{measure}_ci_high"]


def test_where_all_folds_chose_the_same_the_intervals_are_those_of_the_point():
    found = people(apart=0.0)
    table = cross_fitted(found, at_least_precision=0.0, folds=3)
    whole = table.filter(pl.col("fold").is_null()).to_dicts()[0]
    (lowest,) = table["threshold"].drop_nulls().unique()
    at = point(found, lowest)
    for measure in ("precision", "recall", "wrong_per_1000_turns", "write_rate"):
        for end in ("low", "high"):
            name = f"{measure}_ci_{end}"
            assert whole[name] == pytest.approx(at[name])


def test_where_no_fold_finds_a_threshold_nothing_is_reported():
    table = cross_fitted(people(), at_least_precision=1.1)
    assert table["records"].to_list() == [0] * table.height
    assert table["recall"].null_count() == table["precision"].null_count() == table.height
    assert set(table["reason"]) == {"no threshold reaches a precision of 1.1"}


def test_one_user_has_nobody_to_choose_on():
    table = cross_fitted(people(n=1))
    assert set(table["reason"]) == {"there are no other users to choose on"}


def test_removing_a_person_moves_nobody_else():
    found = people()
    users = found.ground.sessions["user_id"].unique().sort()
    before = {user: fold_of(user) for user in users}
    fewer = cross_fitted(of_users(found, users[1:]))
    assert set(fewer["fold"].drop_nulls()) == {before[user] for user in users[1:]}
