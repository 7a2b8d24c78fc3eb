"""People's words on doubtful pairs: kept, replaced, unanimous or still in doubt."""

import pytest

from analysis.links import decide, links, settled, take_back
from labelling.tables import InputError, alias, check
from tests.studies import own_data, rows, save  # noqa: F401


@pytest.fixture
def study(data):
    save(
        proposals=[{"proposal_id": "p1"}, {"proposal_id": "p2", "session_id": "s2"}],
        candidates=[{"candidate_id": "c1"}],
    )
    return "study"


def test_a_person_s_later_word_replaces_the_earlier(study):
    assert links(study).is_empty()
    assert decide(study, "p1", "c1", True, "ann") == 1
    assert decide(study, "p1", "c1", False, "ann") == 1
    assert decide(study, "p1", "c1", False, "ben") == 2
    found = links(study)
    assert check("links", found).bad.is_empty()
    assert set(found.select("annotator", "same").rows()) == {
        (alias("ann"), False),
        (alias("ben"), False),
    }


@pytest.mark.parametrize(
    ("pair", "sentence"),
    [
        (("p9", "c1"), "has no proposal_id 'p9'"),
        (("p1", "c9"), "has no candidate_id 'c9'"),
        (("p2", "c1"), "proposal p2 is of session 's2', fact c1 of 's1'"),
    ],
)
def test_a_pair_that_there_is_not_is_refused(study, pair, sentence):
    with pytest.raises(InputError, match=sentence):
        decide(study, *pair, True, "ann")


def test_where_people_differ_the_pair_stays_in_doubt():
    pair = {"proposal_id": "p1", "fact_id": "c1"}
    words = [{**pair, "annotator": name, "same": same} for name, same in (("a", True), ("b", True))]
    assert settled(rows("links", *words)).rows() == [("p1", "c1", True)]
    assert settled(rows("links", words[0], {**words[1], "same": False})).is_empty()


def test_a_word_taken_back_is_gone_and_others_stay(study):
    for who in ("ann", "ben"):
        decide(study, "p1", "c1", True, who)
    assert take_back(study, "p1", "c1", "ann") == 1
    assert links(study)["annotator"].to_list() == [alias("ben")]
    assert take_back(study, "p1", "c1", "ann") == 1
