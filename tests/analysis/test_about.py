"""What a study cannot show is known from the study itself."""

from hand_made import point, points

from analysis.about import NO_STUDY, SAMPLE, WORLD, about
from labelling.simulate import World, simulate
from tests.studies import own_data  # noqa: F401


def test_a_simulated_world_is_never_live(data):
    simulate("world", World(sessions=1))
    told = about("world", points())
    assert told.warning == WORLD
    assert told.basis("live") == "live, in a simulated world"


def test_the_sample_is_no_evidence_and_another_study_has_no_warning(data):
    assert about("sample", points()).warning == SAMPLE
    assert about("ours", points()).sentence == NO_STUDY.sentence == ""
    assert about("ours", points()).basis("live") == "live"


def test_gates_stand_in_one_order_whatever_the_order_of_the_table(data):
    rows = [point(gate="b"), point(gate="a", setting="2"), point(gate="a", setting="1")]
    assert about("x", points(*rows)).gates == (("a", "1"), ("a", "2"), ("b", "default"))
