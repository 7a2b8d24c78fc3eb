"""The table `agreement`, made from labels: what counts, for whom, and what may not move it."""

from datetime import UTC, datetime

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelling.agreement import agreement_rows, gwet_ac1, krippendorff_alpha, statistics
from labelling.tables import check, frame
from tests.labelling.answered import candidates, labels

CASES = [f"c{i}" for i in range(8)]
ANNOTATORS = ["ann", "answer", "candidate_id"]  # names of columns do no harm
ANSWERS = ("yes", "until", "no")
POOL = candidates(**dict.fromkeys(CASES, "proposed"))
SAID = st.dictionaries(
    st.tuples(st.sampled_from(CASES), st.sampled_from(ANNOTATORS)), st.sampled_from(ANSWERS)
)
calm = settings(max_examples=30)


def told(said):
    """(candidate, annotator) -> durable, as answers."""
    return [(c, who, answer) for (c, who), answer in said.items()]


def sorted_rows(rows):
    return rows.sort("annotator_a", "annotator_b", "stratum", "question", "statistic")


def near(rows, others):
    """The same rows, but for the last bits."""
    numbers = ["value", "low", "high"]
    rows, others = sorted_rows(rows), sorted_rows(others)
    assert rows.drop(numbers).equals(others.drop(numbers))
    for name in numbers:
        assert rows[name].to_list() == pytest.approx(others[name].to_list(), abs=1e-9)


def value_of(rows, **wanted):
    (row,) = [row for row in rows.iter_rows(named=True) if wanted.items() <= row.items()]
    return row["value"], row["n"], row["excluded"], row["reason"]


def test_the_table_has_every_statistic_by_question_stratum_and_pair():
    given = [("c1", "ann", "yes"), ("c1", "bob", "yes"), ("c2", "ann", "yes"), ("c2", "bob", "no")]
    given += [("c3", "ann", "no"), ("c3", "bob", "no"), ("c4", "ann", "no"), ("c5", "bob", "until")]
    pool = candidates(c1="proposed", c2="proposed", c3="sampled", c4="sampled", c5="proposed")
    rows = agreement_rows(labels(given), pool)
    assert not check("agreement", rows).bad.height
    # questions x statistics x (three strata and a week of all pairs, and of the one)
    assert rows.height == 4 * 12 * (4 + 4)
    assert set(rows["stratum"]) == {"proposed", "all", "sampled", "time:2026-W01"}
    write = {"question": "write", "statistic": "percent_agreement"}
    assert value_of(rows, **write, stratum="all", annotator_a="ann") == (2 / 3, 3, 2, None)
    assert value_of(rows, **write, stratum="all", annotator_a=None) == (2 / 3, 3, 2, None)
    assert value_of(rows, **write, stratum="proposed", annotator_a=None) == (1 / 2, 2, 1, None)
    durable = {"question": "durable", "stratum": "all", "annotator_a": None}
    value, *_, reason = value_of(rows, **durable, statistic="pabak")
    assert (value, reason) == (None, "it is defined for two answers; 3 were offered")


def test_three_annotators_give_three_pairs_and_one_alpha():
    given = [("c1", who, "yes") for who in "abc"] + [("c2", "a", "no"), ("c2", "b", "no")]
    given += [("c3", "a", "yes"), ("c3", "c", "no")]
    rows = agreement_rows(labels(given), candidates(c1="added", c2="added", c3="added"))
    write = {"question": "write", "stratum": "all"}
    pairs = rows.filter(question="write", stratum="all", statistic="scott_pi")
    assert pairs.select("annotator_a", "annotator_b").rows() == [
        (None, None),
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    percent = value_of(rows, **write, statistic="percent_agreement", annotator_a=None)
    assert percent == (4 / 5, 5, 0, None)  # three pairs on c1, one on c2, one split on c3
    ratings = {"a": ["yes", "no", "yes"], "b": ["yes", "no", None], "c": ["yes", None, "no"]}
    alpha = value_of(rows, **write, statistic="krippendorff_alpha_nominal", annotator_a=None)
    assert alpha[0] == pytest.approx(krippendorff_alpha(ratings))


def test_nobody_answered():
    rows = agreement_rows(labels([]), candidates(c1="added"))
    assert set(rows["value"]) == {None}
    assert set(rows["reason"]) == {"no unit has two answers"}


@calm
@given(SAID)
def test_the_table_says_what_the_lists_of_answers_say(said):
    rows = agreement_rows(labels(told(said)), POOL)
    rows = rows.filter(question="durable", stratum="all")
    units = [[said.get((c, who)) for who in ANNOTATORS] for c in CASES]

    several = [u for u in units if u.count(None) < 2]
    ratings = {who: [u[i] for u in several] for i, who in enumerate(ANNOTATORS)}
    together = {"krippendorff_alpha_nominal": krippendorff_alpha(ratings)}
    together["gwet_ac1"] = gwet_ac1(ratings, ANSWERS)
    for statistic, expected in together.items():
        value, *_ = value_of(rows, annotator_a=None, statistic=statistic)
        assert value == pytest.approx(expected, abs=1e-12)

    answered = [u[:2] for u in units if any(u[:2])]
    pair = statistics([a for a, _ in answered], [b for _, b in answered], ANSWERS)
    for row in rows.filter(annotator_a="ann", annotator_b="answer").iter_rows(named=True):
        assert row["value"] == pytest.approx(getattr(pair, row["statistic"]), abs=1e-12)
        assert (row["n"], row["excluded"]) == (pair.n, pair.excluded)


@calm
@given(SAID, st.randoms(use_true_random=False))
def test_the_order_of_labels_and_candidates_does_not_matter(said, random):
    answers, order = told(said), list(range(len(CASES)))
    rows = agreement_rows(labels(answers), POOL)
    random.shuffle(answers)
    random.shuffle(order)
    near(rows, agreement_rows(labels(answers), POOL[order]))


@calm
@given(SAID, st.permutations(ANNOTATORS))
def test_who_is_called_what_does_not_matter(said, names):
    rename = dict(zip(ANNOTATORS, names, strict=True))
    rows = agreement_rows(labels(told(said)), POOL)
    other = agreement_rows(labels([(c, rename[who], x) for c, who, x in told(said)]), POOL)
    pair = ["annotator_a", "annotator_b"]
    renamed = rows.with_columns(pl.col(pair).replace(rename))
    turned = pl.col("annotator_a") > pl.col("annotator_b")
    first = pl.when(turned).then("annotator_b").otherwise("annotator_a")
    second = pl.when(turned).then("annotator_a").otherwise("annotator_b")
    bias = turned & (pl.col("statistic") == "bias_index")  # of one against the other
    value = pl.when(bias).then(-pl.col("value")).otherwise("value")
    low = pl.when(bias).then(-pl.col("high")).otherwise("low")
    high = pl.when(bias).then(-pl.col("low")).otherwise("high")
    near(
        renamed.with_columns(
            annotator_a=first, annotator_b=second, value=value, low=low, high=high
        ),
        other,
    )


@calm
@given(
    st.lists(st.tuples(st.sampled_from([*ANSWERS, None]), st.sampled_from([*ANSWERS, None]))),
    st.permutations(ANSWERS),
)
def test_what_answers_are_called_does_not_matter(pairs, names):
    rename = {None: None, **dict(zip(ANSWERS, names, strict=True))}
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    found = vars(statistics(a, b, ANSWERS, positive="yes"))
    other = vars(statistics([rename[x] for x in a], [rename[y] for y in b], names, rename["yes"]))
    assert found.pop("reasons") == other.pop("reasons")
    assert other == pytest.approx(found, abs=1e-12)


@calm
@given(SAID, SAID, st.sampled_from(["draft", "discarded", "pilot", "source"]))
def test_drafts_discards_pilots_and_sources_never_count(said, more, which):
    rows = agreement_rows(labels(told(said)), POOL)
    changed = {"pilot": True} if which == "pilot" else {"status": which}
    noise = [(c, f"{who} again", x) for c, who, x in told(more)]
    if which == "source":
        noise, changed = [(c, f"source:{who}", x) for c, who, x in told(more)], {}
    both = pl.concat([labels(told(said)), labels(noise, **changed)])
    near(rows, agreement_rows(both, POOL))


@calm
@given(SAID, st.datetimes(datetime(2025, 12, 1), datetime(2026, 2, 1), timezones=st.just(UTC)))
def test_a_third_answer_does_not_move_a_named_pair(said, when):
    two = [answer for answer in told(said) if answer[1] != "candidate_id"]
    third = [(*answer, when) for answer in told(said) if answer[1] == "candidate_id"]

    def pair(answers):
        rows = agreement_rows(labels(answers), POOL)
        return rows.filter(annotator_a="ann", annotator_b="answer")

    near(pair(two), pair(two + third))


def test_agreed_negatives_move_kappa_and_not_positive_agreement():
    some = [("c1", "a", "yes"), ("c1", "b", "yes"), ("c2", "a", "yes"), ("c2", "b", "no")]
    some += [("c0", "a", "no"), ("c0", "b", "no")]
    more = some + [(c, who, "no") for c in CASES[3:] for who in "ab"]

    def told_of(answers, statistic):
        rows = agreement_rows(labels(answers), POOL)
        return value_of(
            rows, question="write", stratum="all", statistic=statistic, annotator_a=None
        )[0]

    assert told_of(some, "positive_agreement") == told_of(more, "positive_agreement") == 2 / 3
    assert told_of(some, "cohen_kappa") < told_of(more, "cohen_kappa")


def test_unanimity_is_null_with_a_reason_for_kappa_and_alpha_and_1_for_ac1():
    rows = agreement_rows(labels([(c, who, "no") for c in CASES for who in "ab"]), POOL)
    for pair in (None, "a"):
        about = {"question": "write", "stratum": "proposed", "annotator_a": pair}
        for name in ("cohen_kappa", "scott_pi", "krippendorff_alpha_nominal"):
            value, n, _, reason = value_of(rows, **about, statistic=name)
            assert (value, n) == (None, 8)
            assert reason.startswith("everybody gave one and the same answer")
        assert value_of(rows, **about, statistic="gwet_ac1")[0] == 1
        value, *_, reason = value_of(rows, **about, statistic="positive_agreement")
        assert (value, reason) == (None, "neither gave this answer")


def test_kinds_and_weeks_are_strata():
    monday, sunday = datetime(2026, 11, 23, tzinfo=UTC), datetime(2026, 11, 29, 23, tzinfo=UTC)
    given = [("c1", "a", "yes", monday), ("c1", "b", "no", sunday), ("c2", "a", "yes", sunday)]
    given += [("c2", "b", "yes", datetime(2026, 11, 30, tzinfo=UTC)), ("c3", "a", "yes", None)]
    pool = candidates(c1="added", c2="added", c3="added")
    pool = pool.with_columns(kind=pl.Series(["fact", "preference", None]))
    rows = agreement_rows(labels(given), pool)
    percent = {"question": "write", "statistic": "percent_agreement", "annotator_a": None}
    for stratum in ("kind:fact", "time:2026-W48"):
        assert value_of(rows, **percent, stratum=stratum)[:2] == (0, 1)
    for stratum in ("kind:preference", "time:2026-W49"):
        assert value_of(rows, **percent, stratum=stratum)[:2] == (1, 1)
    assert not rows.filter(pl.col("stratum") == "sampled").height


def test_people_are_compared_with_themselves():
    first = labels([("c1", "a", "yes"), ("c2", "a", "no"), ("c1", "b", "yes"), ("c3", "a", "no")])
    again = labels([("c1", "a", "yes"), ("c2", "a", "yes"), ("c1", "b", "yes")], occasion=1)
    rows = agreement_rows(pl.concat([first, again]), POOL)
    near(rows.filter(pl.col("stratum") != "self"), agreement_rows(first, POOL))
    own = {"question": "write", "stratum": "self", "statistic": "percent_agreement"}
    assert value_of(rows, **own, annotator_a="a", annotator_b="a")[:3] == (1 / 2, 2, 0)
    assert value_of(rows, **own, annotator_a="b")[:3] == (1, 1, 0)
    assert value_of(rows, **own, annotator_a=None)[:3] == (2 / 3, 3, 0)
    bias = {**own, "statistic": "bias_index"}
    assert value_of(rows, **bias, annotator_a="a")[0] == -1 / 2  # said yes only when shown again
    alone = agreement_rows(labels([("c1", "a", "yes")], occasion=1), POOL)  # a draft before it
    assert alone.filter(stratum="self").is_empty()


def test_the_user_is_the_unit_where_there_are_several():
    answers = [(c, "a", "yes") for c in CASES]
    answers += [(c, "b", "no" if c in CASES[:4] else "yes") for c in CASES]

    def width(users):
        sessions = {"split": "dev", "partner": "agent", "source_format": "jsonl", "source_ref": "x"}
        rows = [
            {**sessions, "session_id": f"s{c}", "user_id": user}
            for c, user in zip(CASES, users, strict=True)
        ]
        found = agreement_rows(labels(answers), POOL, frame("sessions", rows))
        (row,) = found.filter(
            pl.col("annotator_a").is_null(),
            question="write",
            stratum="all",
            statistic="percent_agreement",
        ).iter_rows(named=True)
        return row["high"] - row["low"]

    alone = width(["one"] * 8)  # a single user: sessions are the unit
    assert width(list("abcdefgh")) == pytest.approx(alone)
    assert width(list("aaaabbbb")) > alone + 0.1  # a user's candidates go together
