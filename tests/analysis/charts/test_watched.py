"""What is looked at again and again: days, audits, records, deeds; alarms differ in shape, too."""

from datetime import UTC, datetime

import polars as pl
from drawn import marks, texts

from analysis import agreed, charts
from labelling.audit import alarms
from labelling.drift import drift
from labelling.tables import frame

DAYS = pl.DataFrame(
    {
        "day": [datetime(2026, 3, n + 1).date() for n in range(20)],
        "pairs": [20] * 20,
        "splits": [1] * 10 + [12] * 10,
    }
)


def test_drift_shows_every_day_and_when_it_was_called() -> None:
    moved = drift(DAYS, baseline=0.05)
    chart = charts.drift(moved.days, moved.limit, str(moved.alarm_on))
    points = marks(chart, "point")
    assert len(points) == 20
    assert len({one.get("fill") for one in points}) == 2
    assert len({one.get("d") for one in points}) == 2
    assert f"Called on {moved.alarm_on}" in texts(chart)
    assert "limit 0.05" in chart.to_dict()["description"]
    assert "no day after the baseline yet" in texts(charts.drift(moved.days[:0], None, None))


def test_audits_show_interval_limit_and_alarm() -> None:
    fixed = {"source": "store", "disputed_records": 0, "unjudged_records": 0, "reasons": []}
    made = [
        {
            **fixed,
            "audit": f"w{n}",
            "drawn_at": datetime(2026, 3, n + 1, tzinfo=UTC),
            "wrong_records": wrong,
            "correct_records": 100 - wrong,
            "wrong_share": wrong / 100 if n < 3 else None,
            "wrong_share_ci_low": wrong / 200,
            "wrong_share_ci_high": wrong / 50,
        }
        for n, wrong in enumerate((10, 12, 45, 0))
    ]
    rows = alarms(frame("audits", made), limit=0.2).drop("why")
    chart = charts.audits(rows)
    assert len(marks(chart, "point")) == 3
    assert "undefined: w3" in texts(chart)
    assert "w2: 0.45, 0.23–0.90, 45 of 100, alarm" in chart.to_dict()["description"]
    assert "no audit was scored yet" in texts(charts.audits(rows.clear()))


def test_progress_and_confusion_show_their_counts() -> None:
    look = [{"task": "candidates", "round": 2, "records": 9, "none": 2, "one": 3, "two": 4}]
    chart = charts.progress(agreed.answers(look))
    assert len(marks(chart, "bar")) == 3
    assert "candidates 2, two or more: 4 of 9" in chart.to_dict()["description"]
    pairs = pl.DataFrame(
        [{"one": "durable", "other": "write", "n": 3, "share": 1.0, "split": True}]
    )
    assert "3" in texts(charts.confusion(pairs)).split()
    assert "nothing has two answers yet" in texts(charts.confusion(pairs.clear()))
