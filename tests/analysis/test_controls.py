"""The linking widget, pressed as a person would: what it shows, what it keeps, how it ends."""

import polars as pl
import pytest

from analysis.controls import linking
from analysis.links import decide, links
from analysis.score import score
from labelling.reference import make_reference
from labelling.tables import InputError, named_people
from tests.studies import WRITE, own_data, said, save, talk, votes  # noqa: F401

TEXT = "We use BigQuery in the EU."
HOSTILE = "<img src=x onerror=alert(1)> \u202eWe use <b>it</b>."
OURS = {"evidence": said(0, TEXT, "We use BigQuery"), "quote": "We use BigQuery"}
SAME, OTHER, SKIP = range(3)


def written(*statements):
    """A scored study of one fact, and a record without a scope for each statement."""
    doubt = {"scope": None, "gate": "x", **OURS}
    save(
        sessions=[{}],
        turns=talk(TEXT, "Noted."),
        events=[],
        proposals=[
            {"proposal_id": f"p{n}", "statement": one, **doubt} for n, one in enumerate(statements)
        ],
        gate_turns=[{}],
        candidates=[{"statement": HOSTILE, **OURS}],
        labels=votes("c1", WRITE, WRITE),
    )
    make_reference("study")
    score("study")


def press(box, which):
    box.children[1].children[which].click()


def shown(box):
    return box.children[0].value


def words():
    """Proposal, who decided (by name) and what."""
    names = pl.col("annotator").replace_strict(named_people(), default="nobody")
    return links("study").select("proposal_id", names, "same").rows()


def test_each_word_is_kept_at_once_and_the_end_says_what_to_run(data):
    written("One.", "Two.", "Three.")
    box = linking("study", who="ann")
    assert [one.description for one in box.children[1].children] == [
        "Same fact",
        "Not the same",
        "Skip",
    ]
    assert "Pairs left: 3." in shown(box)
    press(box, SAME)
    assert words() == [("p0", "ann", True)]
    press(box, SKIP)
    assert len(words()) == 1
    assert "Pairs left: 1." in shown(box)
    press(box, OTHER)
    assert words() == [("p0", "ann", True), ("p2", "ann", False)]
    assert "ann said so far: 1 the same, 1 not the same. Skipped: 1;" in shown(box)
    assert "No pair is left: run `gates score --study study`." in shown(box)
    assert box.children[1].layout.display == "none"
    press(box, SAME)  # a press that was on its way
    assert len(words()) == 2
    assert "Pairs left: 1." in shown(linking("study", who="ann"))  # the skipped one


def test_both_sides_are_shown_and_hostile_text_is_text(data):
    written("<script>alert(1)</script>")
    page = shown(linking("study"))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert not any(raw in page for raw in ("<script", "<img", "<b>", "\u202e"))
    assert page.count(">We use BigQuery<") == 2
    assert "scope unknown" in page


def test_a_pair_on_which_people_differ_is_open_to_a_third_alone(data):
    written("One.")
    decide("study", "p0", "c1", True, "ann")
    decide("study", "p0", "c1", False, "ben")
    assert "No pair is left" in shown(linking("study", who="ann"))
    assert "Pairs left: 1." in shown(linking("study", who="cy"))


@pytest.mark.parametrize(("user", "who"), [("dora", "dora"), ("", "researcher")])
def test_without_a_name_it_is_the_user_s(data, monkeypatch, user, who):
    written("One.")
    monkeypatch.setenv("USER", user)
    press(linking("study"), OTHER)
    assert words() == [("p0", who, False)]


def test_a_word_that_cannot_be_kept_is_said_and_asked_again(data):
    written("One.")
    box = linking("study")
    save(proposals=[])
    press(box, SAME)
    assert "Not kept: study &#x27;study&#x27; has no proposal_id &#x27;p0&#x27;" in shown(box)
    assert "Pairs left: 1." in shown(box)


def test_no_pair_is_one_sentence(data):
    written()
    box = linking("study")
    assert shown(box) == "<p>There is no doubtful pair in study &#x27;study&#x27;.</p>"
    assert box.children[1].layout.display == "none"


def test_without_scores_it_says_what_to_run(data):
    save(sessions=[{}])
    with pytest.raises(InputError, match="run `gates score --study study`"):
        linking("study")
