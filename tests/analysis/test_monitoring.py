"""The monitor of a labelling study: what it shows, and an error that is only told."""

from analysis import controls
from labelling import rounds
from labelling.tables import InputError
from tests.studies import own_data, save, votes  # noqa: F401

YES = ("yes", "yes", "yes")


def test_it_shows_the_study_and_looks_again_on_request(data):
    pool = [{"candidate_id": "c1"}, {"candidate_id": "c2"}]
    save(sessions=[{}], candidates=pool, labels=votes("c1", YES))
    seen = []

    def look():
        if len(seen) == 2:
            raise InputError("Argilla does not answer")
        seen.append(rounds.look_now("study"))
        return seen[-1]

    tools, heard, shown = controls.monitoring(look).children
    now, again = tools.children
    assert heard.value.startswith("<p>From the tables at 2")
    assert "two or more" in shown.value
    assert "3 answers are left" in shown.value
    assert not again.value  # nothing comes by itself where Argilla does not run
    save(labels=[*votes("c1", YES, YES), *votes("c2", YES, YES)])
    now.click()
    assert "0 answers are left" in shown.value
    assert ">1.00<" in shown.value
    before = shown.value
    now.click()
    assert 'role="alert">Argilla does not answer; looking again' in heard.value
    assert shown.value == before
