"""What commands say: words for people, one object for programs, warnings that stop nothing."""

import pytest

from labelling.console import Outcome, amount, progress, warn_if_stale
from labelling.tables import empty, write
from tests.studies import one_object, own_data, save  # noqa: F401


def test_words_name_what_was_read_and_written_and_the_next_step(capsys):
    Outcome("did it", {"turns": 1200}, {"labels": 2}, "/there", "gates next", {}, "more").show(
        as_json=False
    )
    assert capsys.readouterr().out.splitlines() == [
        "did it",
        "  read   turns (1,200 rows)",
        "  wrote  labels (2 rows)",
        "  where  /there",
        "more",
        "Next: gates next",
    ]


def test_json_is_one_object(capsys):
    Outcome("did\nit 🙂", wrote={"labels": 2}, then="x", details={"n": 1}).show(as_json=True)
    found = one_object(capsys.readouterr().out)
    assert found == {"did": "did\nit 🙂", "read": {}, "wrote": {"labels": 2}, "where": ""} | {
        "next": "x",
        "n": 1,
    }


def test_a_stale_table_is_told_with_what_to_run(data, capsys):
    save(turns=[])
    write("study", "proposals", empty("proposals"), made_from=("turns",))
    warn_if_stale("study", "turns", "proposals", "labels")
    assert capsys.readouterr().err == ""
    save(turns=[{"turn": 0, "text": "new"}])
    warn_if_stale("study", "proposals")
    assert capsys.readouterr().err == (
        "warning: proposals of study 'study' is older than turns; "
        "run `gates replay --study study` to bring it up to date\n"
    )


def test_progress_is_silent_where_nobody_watches(capsys):
    assert list(progress([1, 2], total=2, what="x")) == [1, 2]
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 replies"), (1, "1 reply"), (1200, "1,200 replies")]
)
def test_a_number_and_its_noun_agree(number, said):
    assert amount(number, "reply", "replies") == said


def test_one_row_is_a_row(capsys):
    Outcome("done", read={"turns": 1}, wrote={"labels": 2}).show(as_json=False)
    assert "turns (1 row)" in (said := capsys.readouterr().out)
    assert "labels (2 rows)" in said
