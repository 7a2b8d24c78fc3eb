"""`3_precision_recall.ipynb` on studies whose numbers are known: a tiny and a simulated one."""

from itertools import pairwise

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
    table, bands, first, second, day, steps, pairs, fitted, order, truths, changes, pool, *_ = shown
    assert "0.50<br>1 of 2<" in table  # judge: a right, c wrong; facts a, b
    assert ">0.33–0.67 (1)<" in bands  # d wrong ... right
    assert "1–3 records a gate" in first
    assert "4 of 4 thresholds drawn" in first
    assert "work at 10,000 assistant turns a day" in second
    assert ">3,000.0<" in day  # 300 per 1,000 turns
    # 300 wrong records per 1,000 turns (600 x .5) against none, and not a fact less
    assert "From judge/default to press/default costs 0.0 points of recall" in steps
    assert pairs.count(">judge/default → press/default<") == 3
    assert fitted.count(">judge<") == 2  # one user is one fold, and all of them together
    assert "By falling recall: judge/default, press/default" in order
    assert truths.count(">annotator:a0<") == 2
    # a0 would write d: then there are three facts, of which judge captures a and d
    assert "2 by recall under annotator:a0" in changes
    assert pool.count(">0.50<") == 4  # with and without its own finds, both gates
    shares, rates = (chart["description"] for chart in outputs(notebook, CHART))
    assert "at score ≥ 0.2 precision 0.67, recall 1.00" in shares
    assert "judge: 200.0 facts, 300.0 wrong" in rates


def test_a_simulated_study_says_that_it_is_one(data):
    simulate("world", World(sessions=60))
    make_reference("world")
    score("world", split="all")
    notebook = run(NOTEBOOK, "world")
    shown = outputs(notebook, HTML)
    for said in (*shown, *(chart["description"] for chart in outputs(notebook, CHART))):
        assert "simulated world with known truth" in said
    table, steps = shown[0], shown[5]
    chapter = ("model/worth remembering", "model/durable", "heuristic/34 patterns")
    assert all(f"From {a} to {b} " in steps for a, b in pairwise(chapter))
    points = read("world", "operating_points").filter(variant="headline")
    for correct, wrong in points.select("correct_records", "wrong_records").iter_rows():
        assert f"<br>{correct:,} of {correct + wrong:,}<br>" in table


def test_a_single_gate_is_shown_without_comparisons(data):
    write_tiny(gates=("press",))
    shown = outputs(run(NOTEBOOK, "tiny"), HTML)
    assert sum("there is nothing to compare" in one for one in shown) == 2
    assert "no gate has scores" in shown[2]
