"""Recall by evidence form: every count is shown."""

from drawn import data, texts
from hand_made import forms

from analysis import charts


def test_recall_by_form_shows_each_count_also_where_there_are_no_facts() -> None:
    chart = charts.recall_by_form(forms())
    assert len(data(chart)) == 6
    assert "1.00 (2 of 2)" in texts(chart)
    assert "– (0 of 0)" in texts(chart)


def test_an_empty_table_gives_a_chart_that_says_so() -> None:
    assert "nothing was scored" in texts(charts.recall_by_form(forms().clear()))
