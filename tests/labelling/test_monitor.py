"""What `gates agreement` says."""

from datetime import timedelta

from labelling.monitor import tell_agreement
from labelling.reference import make_reference
from labelling.tables import read, write
from tests.labelling.answered import WHEN, candidates, labels
from tests.studies import own_data, save  # noqa: F401

CASES = [f"c{i}" for i in range(40)]


def study(*, worse_from):
    """Forty days of ten candidates each; from a day on one annotator says no to all."""
    names = [f"{case}-{i}" for case in CASES for i in range(10)]
    at = [WHEN + timedelta(days=i // 10) for i in range(len(names))]
    given = [(name, "ann", "yes", when) for name, when in zip(names, at, strict=True)]
    for i, (name, when) in enumerate(zip(names, at, strict=True)):
        given.append((name, "bob", "no" if i // 10 >= worse_from else "yes", when))
    save(sessions=[{"session_id": f"s{name}", "user_id": name} for name in names])
    write("study", "candidates", candidates(**dict.fromkeys(names, "proposed")))
    write("study", "labels", labels(given))
    make_reference("study")


def test_it_says_values_ends_splits_and_drift(data):
    study(worse_from=30)
    said = tell_agreement("study")
    assert said.did == "what to write, proposed candidates, 400 pairs of answers"
    assert "  percent_agreement                     0.750  [0.7" in said.text
    assert "of 100 splits on what to write: durable in 100, well_evidenced in 0" in said.text
    assert "drift: more splits than 1.8%, called on 2026-01-31 (valid however" in said.text
    assert said.details["drift"]["baseline_pairs"] == 200
    assert str(said.details["drift"]["alarm_on"]) == "2026-01-31"
    assert said.details["deciding"][0]["alone"] == 100
    assert {row["question"] for row in said.details["agreement"]} == {"write"}


def test_it_says_what_it_cannot_say(data):
    study(worse_from=99)
    said = tell_agreement("study", baseline=0.1)
    assert "  cohen_kappa                          undefined: everybody gave one" in said.text
    assert "not seen (evidence at most 0.54; 20 is an alarm)" in said.text
    assert "splits on what to write" not in said.text


def test_without_a_proposed_candidate_it_speaks_of_all(data):
    save(sessions=[{"session_id": "sc1", "user_id": "u"}])
    write("study", "candidates", candidates(c1="read"))
    write("study", "labels", labels([("c1", "ann", "yes"), ("c1", "bob", "yes")]))
    make_reference("study")
    said = tell_agreement("study")
    assert said.did == "what to write, all candidates, 1 pairs of answers"
    assert "style: sampled told from proposed by the words alone: not measured, 0" in said.text
    assert read("study", "style")["auc"].to_list() == [None] * 6
