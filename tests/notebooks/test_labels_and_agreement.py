"""`1_labels_and_agreement.ipynb` on studies from nothing to a simulated one."""

from notebook_run import CHART, outputs, run

from labelling.simulate import World, simulate
from tests.scored_study import write_tiny
from tests.studies import own_data, save  # noqa: F401

NOTEBOOK = "1_labels_and_agreement.ipynb"
HTML = "text/html"


def described(notebook):
    return [chart["description"] for chart in outputs(notebook, CHART)]


def test_a_tiny_study(data):
    write_tiny()
    notebook = run(NOTEBOOK, "tiny")
    progress, route, _, question, pair, own, _, days, deeds, leaks, audits = described(notebook)
    assert "candidates 1, two or more: 4 of 4" in progress
    assert "all, percent: 0.75 [" in route  # of a, b, c, d they split on d
    assert "positive: 0.80" in route  # 2 x 2 of 3 + 2
    assert "durable, kappa: 0.50" in question  # .75, by chance .5
    assert "a0 and a1, percent: 0.75" in pair
    assert "nothing to draw yet" in own
    assert "no day after the baseline yet" in days
    assert "write and write: 2" in deeds
    assert "sampled, shown, AUC: –, n 0" in leaks
    assert "no audit was scored yet" in audits
    drifting, deciding, queue, many = outputs(notebook, HTML)
    assert "Drift is not called. 0 pairs have two answers with a time" in drifting
    assert ">durable<" in deciding
    assert queue.count("Statement d.") == 2  # on durable and on write
    assert ">a0: yes<br>a1: no<" in queue
    assert "Disputed candidates: 1, of which 1 are shown" in many


def test_a_study_without_a_label(data):
    save("tiny", sessions=[{}], candidates=[{}])
    notebook = run(NOTEBOOK, "tiny")
    assert "candidates 1, no answer: 1 of 1" in described(notebook)[0]
    assert "Disputed candidates: 0" in outputs(notebook, HTML)[-1]


def test_a_simulated_study_says_so_everywhere(data):
    simulate("world", World(sessions=20))
    notebook = run(NOTEBOOK, "world")
    drawn = [one for one in described(notebook) if "yet" not in one]
    assert len(drawn) > 5
    for shown in (*outputs(notebook, HTML), *drawn):
        assert "simulated world with known truth" in shown
