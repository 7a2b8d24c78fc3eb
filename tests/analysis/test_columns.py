"""Tables for one question each: what stands in their cells, and every gap with its reason."""

import polars as pl
import pytest
from hand_made import point, points

from analysis import captions, columns, summary, traffic

PAIR = {"name": "a → b", "before": "a", "after": "b"}
ENDS = {"ci_low": -0.27, "ci_high": -0.00076, "p": 1e-8, "p_holm": 3e-8, "reason": None}


def shown(row, of):
    return summary.show(pl.DataFrame([row]), of).html


def test_a_difference_has_its_sign_its_interval_and_a_p_value():
    html = shown({**PAIR, "measure": "recall", "value": -0.15, **ENDS}, columns.DIFFERENCES)
    assert ">−0.15<br>−0.27 to −0.00076<" in html
    assert ">&lt; 0.0001<" in html
    assert "<li>" not in html
    least = {**ENDS, "p": 1e-4, "p_holm": 0.003}  # it may be smaller than was looked for
    assert ">&lt; 0.0030<" in shown(
        {**PAIR, "measure": "recall", "value": -0.15, **least}, columns.DIFFERENCES
    )


def test_a_gate_without_records_has_nothing_judged_and_nothing_disputed():
    kinds = ("correct_records", "wrong_records", "disputed_records", "unjudged_records")
    counts = dict.fromkeys(("records", *kinds), 0)
    html = summary.show(points(point(**counts)), columns.OPEN).html
    assert "all judged" not in html
    assert html.count(">–<") == 2  # both bands of precision


def test_a_difference_without_an_interval_says_why():
    none = dict.fromkeys(("value", "ci_low", "ci_high", "p", "p_holm"))
    row = {**PAIR, "measure": "precision", **none, "reason": "no judged records"}
    html = shown(row, columns.DIFFERENCES)
    assert ">–<br>–<" in html
    assert "<li>value, 95% interval, p (Holm): no judged records (a → b)</li>" in html


def fold(**changes):
    counts = {
        "correct_records": 9,
        "wrong_records": 1,
        "reference_facts": 20,
        "reference_weight": 20.0,
        "captured_weight": 9.0,
    }
    measures = {"precision": 0.9, "recall": 0.45, "wrong_per_1000_turns": 0.48}
    ends = {f"{m}_ci_{end}": None for m in measures for end in ("low", "high")}
    told = {"name": "m", "fold": 0, "users": 20, "threshold": 0.7, "chosen_precision": 0.91}
    return {**told, "reason": None, **counts, **measures, **ends, **changes}


def test_a_fold_has_the_threshold_of_the_others_and_all_have_the_interval():
    html = shown(fold(), columns.FITTED)
    assert all(
        f">{cell}<" in html for cell in ("fold 1 (20 users)", "0.70 (0.91)", "0.90<br>9 of 10")
    )
    assert "<li>" not in html
    ends = {"precision_ci_low": 0.6, "precision_ci_high": 0.97}
    every = fold(fold=None, users=100, threshold=None, chosen_precision=None, **ends)
    html = shown(every, columns.FITTED)
    assert ">all (100 users)<" in html
    assert ">each fold its own<" in html
    assert ">0.90<br>9 of 10<br>0.60–0.97<" in html


def test_a_fold_that_chose_nothing_says_why():
    none = {"threshold": None, "chosen_precision": None, "precision": None, "correct_records": 0}
    html = shown(fold(**none, reason="the gate has no scores", wrong_records=0), columns.FITTED)
    assert "– (the gate has no scores)" in html
    assert "<li>precision: the gate has no scores (m)</li>" in html


def test_a_truth_has_its_rank_and_an_undefined_one_its_reason():
    rows = captions.named(points(point(), point(gate="none", precision=None)), ["setting"])
    ranked = rows.with_columns(precision_rank=pl.Series([1, None]), recall_rank=1)
    html = summary.show(ranked, columns.TRUTHS).html
    assert ">0.75 (3 of 4) (1)<" not in html
    assert ">0.75 (1)<" in html
    assert "<li>precision: no reason recorded (none)</li>" in html


def test_work_is_wrong_records_a_day():
    day = traffic.per_day(traffic.per_1000_turns(points(point())), 10_000)
    html = summary.show(day, columns.WORK).html
    assert ">1,500.0<br>–<" in html  # 150 per 1,000 turns
    assert ">1,200.0–2,400.0 (1)<" in html


@pytest.mark.parametrize("turns", [0, -1])
def test_a_day_without_turns_is_refused(turns):
    with pytest.raises(ValueError, match="turns a day"):
        traffic.per_day(traffic.per_1000_turns(points()), turns)
