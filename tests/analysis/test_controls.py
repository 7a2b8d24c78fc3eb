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
    answers(box)[which].click()


def answers(box):
    return box.children[2].children


def tools(box):
    """The toggle of the turns, and the button that takes back."""
    return box.children[3].children


def shown(box):
    return box.children[1].value


def around(box):
    return box.children[4].value


def heard(box):
    return box.children[5].value


def words():
    """Proposal, who decided (by name) and what."""
    names = pl.col("annotator").replace_strict(named_people(), default="nobody")
    return links("study").select("proposal_id", names, "same").rows()


def test_each_word_is_kept_at_once_and_the_end_says_what_to_run(data):
    written("One.", "Two.", "Three.")
    box = linking("study", who="ann")
    assert [one.description for one in answers(box)] == [
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
    assert box.children[2].layout.display == "none"
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


def test_without_a_name_it_is_the_user_s(data, monkeypatch):
    written("One.")
    monkeypatch.setenv("LOGNAME", "dora")
    press(linking("study"), OTHER)
    assert words() == [("p0", "dora", False)]


@pytest.mark.parametrize("user", ["root", "jovyan"])
def test_a_name_that_many_share_is_asked_for(data, monkeypatch, user):
    written("One.")
    monkeypatch.setenv("LOGNAME", user)
    box = linking("study")
    assert "Say who you are" in shown(box)
    assert all(one.disabled for one in answers(box))
    box.children[0].value = "eva"
    assert not any(one.disabled for one in answers(box))
    press(box, SAME)
    assert words() == [("p0", "eva", True)]


def test_another_name_in_the_field_is_another_person(data):
    written("One.")
    decide("study", "p0", "c1", True, "ann")
    decide("study", "p0", "c1", False, "ben")
    box = linking("study", who="ann")
    assert "No pair is left" in shown(box)
    box.children[0].value = " cy "
    assert "Pairs left: 1." in shown(box)
    press(box, OTHER)
    assert ("p0", "cy", False) in words()


def test_the_last_answer_is_taken_back_also_after_the_end_and_in_another_sitting(data):
    written("One.", "Two.")
    box = linking("study", who="ann")
    _, back = tools(box)
    assert back.disabled
    press(box, SAME)
    press(box, OTHER)
    back.click()
    assert words() == [("p0", "ann", True)]
    assert "Taken back; the pair is open again. Pairs left: 1." in heard(box)
    again = linking("study", who="ann")
    tools(again)[1].click()
    assert words() == []
    assert "Pairs left: 2." in shown(again)
    assert tools(again)[1].disabled


def test_what_was_kept_and_what_comes_next_is_said_aloud(data):
    written("One.", "<b>Two.</b>")
    box = linking("study", who="ann")
    assert heard(box) == ""
    press(box, SAME)
    assert heard(box).startswith('<p role="alert">Kept: same fact, says ann. Pairs left: 1. Next: ')
    assert "the record “&lt;b&gt;Two.&lt;/b&gt;”" in heard(box)
    press(box, SKIP)
    assert heard(box) == '<p role="alert">Skipped. No pair is left.</p>'


def test_the_turns_around_are_shown_on_demand_with_the_quote_marked(data):
    written("One.")
    box = linking("study", who="ann")
    assert around(box) == ""
    turns, _ = tools(box)
    turns.value = True
    assert "<b>0 user:</b> <mark>We use BigQuery</mark> in the EU." in around(box)
    assert "<b>1 assistant:</b> Noted." in around(box)
    press(box, SAME)
    assert around(box) == ""


def test_a_word_that_cannot_be_kept_is_said_and_asked_again(data):
    written("One.")
    box = linking("study", who="ann")
    save(proposals=[])
    press(box, SAME)
    assert "Not kept: study &#x27;study&#x27; has no proposal_id &#x27;p0&#x27;" in heard(box)
    assert "Pairs left: 1." in shown(box)


def test_no_pair_is_one_sentence(data):
    written()
    box = linking("study", who="ann")
    assert shown(box) == "<p>There is no doubtful pair in study &#x27;study&#x27;.</p>"
    assert box.children[2].layout.display == "none"


def test_without_scores_it_says_what_to_run(data):
    save(sessions=[{}])
    with pytest.raises(InputError, match="run `gates score --study study`"):
        linking("study")
