"""How far a study is: records by answers, people, pace; from tables, and in words."""

from datetime import UTC, date, datetime, timedelta

import polars as pl

from labelling import rounds
from labelling.rounds.pace import pace
from labelling.rounds.progress import done
from labelling.rounds.words import look_in_words
from tests.studies import own_data, read_whole, save, votes  # noqa: F401

NOW = datetime(2026, 12, 10, 12, tzinfo=UTC)


def answers(*given):
    """Submitted answers of (annotator, days ago, seconds)."""
    rows = [
        {"annotator": who, "at": NOW - timedelta(days=ago), "seconds": seconds}
        for who, ago, seconds in given
    ]
    schema = {"annotator": pl.String, "at": pl.Datetime("us", "UTC"), "seconds": pl.Float64}
    return pl.DataFrame(rows, schema=schema)


def test_a_look_counts_what_counts_and_tells_the_rest_apart(data):
    yes, no = ("yes", "yes", "yes"), ("no", "yes", "yes")
    empty = {"candidate_id": "c3", "annotator": "a0", "question": "task", "answer": None}
    given = [
        *votes("c1", yes, yes),
        *votes("c2", yes, status="draft"),
        *votes("c2", no, occasion=1),
    ]
    given += [*votes("c4", yes), *votes("c4", yes, pilot=True, occasion=2)]
    given += [{**empty, "status": "discarded"}, *read_whole("s1", "a0")]
    pool = [{"candidate_id": f"c{n}", "round": 1 + n // 4} for n in range(1, 6)]
    save(sessions=[{}], candidates=pool, labels=given)
    told = rounds.look_now("study")
    assert told["away"].startswith("Argilla does not run")
    assert told["source"] == "the tables"
    assert [tuple(row.values()) for row in told["rounds"]] == [
        ("candidates", 1, 3, 2, 0, 1),
        ("candidates", 2, 2, 1, 1, 0),
        ("transcripts", 1, 1, 0, 1, 0),
    ]
    assert [tuple(row.values()) for row in told["people"]] == [
        ("a0", 3, 1, 1, 1, 1, None),  # two candidates and a session; a pilot; one shown again
        ("a1", 1, 0, 0, 0, 0, None),
    ]
    # c2 and c3 two each, c4 one, c5 two, the session one
    assert told["pace"]["answers_left"] == 8
    assert told["agreement"][0]["n"] == 1
    assert not done(told)
    said = "\n".join(look_in_words(told))
    assert "candidates-r2" in said
    assert "and 1 pilot, 1 shown again" in said
    assert "no day can be given: there are answers of 0 days, and 2 are needed" in said


def test_a_study_without_labels_says_so(data):
    save(candidates=[{}])
    told = rounds.look_now("study")
    assert "  nobody has answered yet" in look_in_words(told)
    assert told["agreement"][0]["value"] is None


def test_the_end_is_told_by_what_days_differ():
    even = [(who, ago, 30.0) for who in "ab" for ago in range(4) for _ in range(10)]
    told = pace(answers(*even), 140, NOW)
    # 80 answers in three days and a half, seven left at such days
    assert (told["days"], told["last_24_hours"], told["last_hour"]) == (4, 20, 20)
    assert told["hours_left"] == 140 * 30 / 3600
    assert told["per_day_low"] < 80 / 3.5 == told["per_day"] < told["per_day_high"]
    begin, end = (date.fromisoformat(told[f"done_{side}"]) for side in ("from", "to"))
    assert begin < date(2026, 12, 16) < end
    uneven = [(who, ago, 30.0) for who in "ab" for ago in (0, 6) for _ in range(20)]
    wider = pace(answers(*uneven), 140, NOW)
    assert wider["days"] == 7  # the days between count, too
    assert wider["done_to"] is None or wider["done_to"] > told["done_to"]


def test_what_cannot_be_foretold_has_its_reason():
    alone = pace(answers(("a", 0, 1.0), ("a", 1, 1.0)), 3, NOW)
    assert alone["reasons"]["done_from"].startswith("fewer than two people")
    first = pace(answers(("a", 0, 1.0), ("b", 0, 1.0)), 3, NOW)
    assert first["reasons"]["done_from"] == "there are answers of 1 day, and 2 are needed"
    old = pace(answers(("a", 20, None), ("b", 21, None)), 3, NOW)
    assert old["reasons"]["done_from"] == "no answer in 7 days"
    assert old["reasons"]["hours_left"] == "nobody's seconds are known"
    assert pace(answers(("a", 0, 1.0)), 0, NOW)["reasons"] == {"done_from": "nothing is left"}
