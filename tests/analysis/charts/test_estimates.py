"""Values with intervals: every row is drawn or named with its reason."""

import polars as pl
from drawn import data, marks, texts

from analysis import agreed, charts
from analysis.about import WORLD, About
from labelling.agreement import agreement_rows
from tests.labelling.answered import candidates, labels

POOL = candidates(c1="proposed", c2="proposed", c3="sampled", c4="sampled")
GIVEN = [(c, who, "yes") for c in ("c1", "c2", "c3") for who in ("ann", "<b>bob")]
GIVEN += [("c4", "ann", "yes"), ("c4", "<b>bob", "no")]
ROWS = agreement_rows(labels(GIVEN), POOL)


def test_each_part_has_its_rows_and_its_words() -> None:
    rows = agreed.by_stratum(ROWS)
    assert rows["name"].unique(maintain_order=True).to_list() == ["proposed", "all", "sampled"]
    chart = charts.estimates(rows, "Agreement by route", about=About("x", warning=WORLD))
    assert len(data_of(chart)) == rows.height
    assert len(marks(chart, "point")) == rows["value"].drop_nulls().len()
    written = texts(chart)
    assert "0.75" in written
    assert "n 4" in written
    assert "A simulated world" in written
    assert "undefined, everybody gave one and the same" in written
    spoken = chart.to_dict()["description"]
    assert spoken.startswith("Agreement by route. proposed, percent: 1.00 [")


def test_pairs_kinds_weeks_and_questions() -> None:
    assert agreed.by_pair(ROWS)["name"][0] == "<b>bob and ann"
    assert agreed.by_kind(ROWS).is_empty()
    assert agreed.by_week(ROWS)["name"].unique().to_list() == ["2026-W01"]
    assert agreed.by_question(ROWS)["name"].n_unique() == 4
    assert "nothing to draw yet" in texts(charts.estimates(agreed.by_kind(ROWS), "By kind"))
    again = labels([("c1", "ann", "no")], occasion=1)
    own = agreed.with_themselves(agreement_rows(pl.concat([labels(GIVEN), again]), POOL))
    assert own["name"].unique(maintain_order=True).to_list() == ["everybody", "ann"]


def test_the_queue_has_both_answers_and_a_link() -> None:
    from labelling.agreement import splits

    found = splits(labels(GIVEN), POOL).filter("disputed")
    (row,) = agreed.queue(found, {"c4": "http://x/"}).filter(question="write").to_dicts()
    assert row["answers"] == "<b>bob: no\nann: yes"
    assert row["record"] == "http://x/"


def data_of(chart):
    return max(chart.to_dict()["datasets"].values(), key=len) if data else []
