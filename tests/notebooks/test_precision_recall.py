"""`3_precision_recall.ipynb` on studies whose numbers are known: a tiny and a simulated one."""

from notebook_run import CHART, outputs, run

from analysis.score import score
from labelling.reference import make_reference
from labelling.simulate import World, simulate
from labelling.tables import read
from tests.scored_study import write_tiny
from tests.studies import own_data  # noqa: F401

NOTEBOOK = "3_precision_recall.ipynb"
HTML = "text/html"


def test_a_tiny_study(data):
    write_tiny()
    notebook = run(NOTEBOOK, "tiny")
    shown = outputs(notebook, HTML)
    table, first, second, steps, pairs, fitted, order, truths, changes, pool, *_ = shown
    assert "0.50 (1 of 2)" in table  # judge: a right, c wrong; facts a, b
    assert ">0.33–0.67<" in table  # d wrong ... right
    assert "1–3 records a gate" in first
    assert "4 of 4 thresholds drawn" in first
    assert "work at 10,000 assistant turns a day" in second
    # 300 wrong records per 1,000 turns (600 x .5) against none, and not a fact less
    assert "From press/default to judge/default costs 0.0 points of recall" in steps
    assert pairs.count(">press/default<") == 3
    assert fitted.count(">judge/default<") == 2  # one user is one fold, and all of them together
    assert "By falling recall: press/default, judge/default" in order
    assert truths.count(">annotator:a0<") == 2
    # a0 would write d: then there are three facts, of which judge captures a and d
    assert "press/default is 2 by recall under annotator:a0, 1 under the headline" in changes
    assert pool.count(">0.5<") == 4  # with and without its own finds, both gates
    shares, rates = (chart["description"] for chart in outputs(notebook, CHART))
    assert "at score ≥ 0.2 precision 0.67, recall 1.00" in shares
    assert "judge: 200.00 facts, 300.00 wrong" in rates


def test_a_simulated_study_says_that_it_is_one(data):
    simulate("world", World(sessions=60))
    make_reference("world")
    score("world", split="all")
    table, first, second, steps, *_ = outputs(run(NOTEBOOK, "world"), HTML)
    assert all("a simulated world with known truth" in caption for caption in (first, second))
    assert steps.count("wrong records avoided per fact lost") == 4
    points = read("world", "operating_points").filter(variant="headline")
    for correct, wrong in points.select("correct_records", "wrong_records").iter_rows():
        assert f"({correct:,} of {correct + wrong:,})" in table


def test_a_single_gate_is_shown_without_comparisons(data):
    write_tiny(gates=("press",))
    shown = outputs(run(NOTEBOOK, "tiny"), HTML)
    assert sum("there is nothing to compare" in one for one in shown) == 2
    assert "no gate has scores" in shown[1]
