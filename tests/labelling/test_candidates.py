"""The pool: ids stay, draws stay, corrections keep their probability, and it tells no stratum."""

import pytest

from labelling.candidates import COMPLETE, SAMPLE_P, adopt, pool
from labelling.tables import InputError, metadata, read
from tests.studies import files, own_data, row, rows, said, save, talk, votes  # noqa: F401

TEXT = "We use BigQuery. It is fast. Call me Sam. I hate pies. The build broke. Go on."
DONE = "Noted."


def study(*proposals, people=8):
    turns = [turn for n in range(people) for turn in talk(TEXT, DONE, session_id=f"s{n}")]
    save(
        sessions=[{"session_id": f"s{n}", "user_id": f"u{n}"} for n in range(people)],
        turns=turns,
        proposals=proposals,
    )


def proposal(statement="Uses BigQuery.", quote="We use BigQuery", **more):
    given = {"session_id": "s0", "statement": statement, "quote": quote}
    return {**given, "evidence": said(0, TEXT, quote), **more}


def candidates():
    return read("study", "candidates")


def test_proposals_of_all_gates_become_one_candidate(data):
    study(proposal(gate="x"), proposal("uses  bigquery", gate="y"))
    pool("study")
    (found,) = candidates().to_dicts()
    assert len(found["proposal_ids"]) == 2
    assert (found["quote"], found["strata"], found["round"]) == ("We use BigQuery", ["proposed"], 1)
    assert found["inclusion_probability"] == 1.0


def test_what_can_never_be_a_record_and_what_yardsticks_propose_is_not_pooled(data):
    study(
        proposal("a", verdict="reject", reject_reason="negated"),
        proposal("b", verdict="known"),
        proposal("c", gate="everything"),
        proposal("d", gate="nothing"),
        proposal("e", gate="first_person"),
        proposal("f", verdict="reject", reject_reason="below_threshold"),
        proposal("g", verdict="confirm"),
        proposal("h", verdict="log"),
    )
    pool("study")
    assert set(candidates()["statement"]) == {"f", "g", "h"}


def test_named_gates_only(data):
    study(proposal("a", gate="x"), proposal("b", gate="y"))
    pool("study", gates=("y",))
    assert candidates()["statement"].to_list() == ["b"]
    with pytest.raises(InputError, match="no proposals of gate z; expected of: x, y; run"):
        pool("study", gates=("z",))


def test_the_order_of_gates_and_proposals_changes_nothing(data):
    offered = [proposal("a"), proposal("b", gate="y"), proposal("A", gate="z"), proposal("c")]
    study(*offered)
    pool("study")
    first = candidates()
    (data / "study" / "candidates.parquet").unlink()
    save(proposals=reversed(offered))
    pool("study")
    assert candidates().equals(first)


def test_pooling_again_changes_nothing(data):
    study(proposal(), proposal("Hates pies.", "I hate pies"))
    pool("study", sample=10)
    before = files(data / "study")
    for sample in (10, 0, 40):
        pool("study", sample=sample)
        assert files(data / "study") == before


def test_a_pooled_proposal_stays_with_its_candidate_when_its_words_changed(data):
    study(proposal(proposal_id="p"))
    pool("study")
    save(proposals=[proposal("Something else.", proposal_id="p")])
    pool("study")
    assert candidates()["statement"].to_list() == ["Uses BigQuery."]


def test_the_probability_is_fixed_at_the_first_draw(data):
    study(proposal())
    pool("study", sample=12)
    # 8 people x 6 sentences, one of them proposed: 47 to draw from
    p = float(metadata("study", "candidates")[SAMPLE_P])
    assert p == 12 / 47
    drawn = candidates().filter(candidates()["strata"].list.contains("sampled"))
    assert set(drawn["inclusion_probability"]) == {p}
    assert "We use BigQuery." not in drawn.filter(drawn["session_id"] == "s0")["statement"]
    pool("study", sample=40)
    assert metadata("study", "candidates")[SAMPLE_P] == repr(p)


def test_removing_a_person_changes_nobody_else_s_draw(data):
    study(proposal())
    pool("study", sample=20)
    everybody = candidates()
    gone = everybody.filter(everybody["session_id"] != "s3")
    for table in ("turns", "sessions"):
        kept = read("study", table)
        save(**{table: kept.filter(kept["session_id"] != "s3").to_dicts()})
    notes = {SAMPLE_P: metadata("study", "candidates")[SAMPLE_P]}
    adopt("study", gone.clear(), notes=notes)
    pool("study", sample=20)
    assert candidates().equals(gone)


def test_a_sentence_said_twice_is_drawn_when_either_is(data):
    save(
        sessions=[{"session_id": f"s{n}"} for n in range(30)],
        turns=[
            turn
            for n in range(30)
            for turn in talk("Go on. Stop.", "Ok.", "Go on!", session_id=f"s{n}")
        ],
        proposals=[],
    )
    pool("study", sample=45)  # of 90: p = .5
    found = dict(candidates().select("statement", "inclusion_probability").iter_rows())
    assert {found.get("Go on."), found.get("Go on!")} == {0.75}
    assert found["Stop."] == 0.5


def test_a_sentence_that_is_proposed_later_is_certain(data):
    study()
    pool("study", sample=48)
    assert candidates().height == 48
    words = proposal("We use BigQuery.", kind=None, scope=None, polarity=None)
    save(proposals=[words])
    pool("study")
    both = candidates().filter(candidates()["strata"].list.len() == 2).to_dicts()
    assert [(c["strata"], c["inclusion_probability"]) for c in both] == [
        (["proposed", "sampled"], 1)
    ]


def test_a_corrected_statement_joins_the_next_round_with_the_probability_of_its_origin(data):
    study()
    pool("study", sample=12)
    first = candidates().filter(candidates()["session_id"] == candidates()["session_id"][0])
    origin = first.to_dicts()[0]
    corrected = {"candidate_id": origin["candidate_id"], "question": "corrected"}
    labels = votes(origin["candidate_id"], ("yes", "no", "yes"))
    labels += [row("labels", **corrected, answer="The  right words.")]
    labels += [row("labels", **corrected, annotator="b", answer="Not meant.", status="draft")]
    save(labels=labels)
    pool("study", sample=12)
    (added,) = candidates().filter(candidates()["round"] == 2).to_dicts()
    assert (added["statement"], added["strata"]) == ("The right words.", ["added"])
    assert added["inclusion_probability"] == origin["inclusion_probability"]
    assert added["evidence"] == origin["evidence"]
    before = candidates()
    pool("study", sample=12)
    assert candidates().equals(before)


def test_what_comes_after_answers_is_the_next_round(data):
    study(proposal("a"))
    pool("study")
    save(proposals=[proposal("a"), proposal("b")])
    pool("study")
    assert candidates()["round"].to_list() == [1, 1]
    save(labels=votes(candidates()["candidate_id"][0], ("yes", "yes", "yes")))
    save(proposals=[proposal("a"), proposal("b"), proposal("c")])
    pool("study")
    assert dict(candidates().select("statement", "round").iter_rows()) == {"a": 1, "b": 1, "c": 2}


def test_the_order_of_the_table_tells_no_stratum(data):
    study(*(proposal(f"p{n}") for n in range(9)))
    pool("study", sample=9)
    found = candidates()
    assert found["candidate_id"].is_sorted()
    assert set(found["strata"].list.join("")) == {"proposed", "sampled"}
    named = {name for name in found.columns if "gate" in name or "score" in name}
    assert named == set()


@pytest.mark.parametrize(("turn", "shown"), [(0, 0), (1, 0), (2, 2), (3, 2)])
def test_a_record_without_a_quote_shows_the_user_s_last_turn(data, turn, shown):
    texts = ("First of all.", DONE, "And then.", DONE, "At last.")
    turns = talk(*texts)[::-1]
    save(sessions=[{}], turns=turns, proposals=[{"turn": turn, "statement": "Uses BigQuery."}])
    pool("study")
    (found,) = candidates().to_dicts()
    assert found["quote"] == texts[shown]
    assert found["evidence"] == said(shown, texts[shown], texts[shown])


def test_a_record_before_any_user_spoke_shows_nothing(data):
    study({"session_id": "s0", "turn": 1, "statement": "Uses BigQuery."})
    save(turns=[{**turn, "role": "assistant"} for turn in talk(TEXT, DONE, session_id="s0")])
    pool("study")
    assert candidates().select("quote", "evidence").rows() == [("", [])]


def test_the_outcome_says_what_is_new(data):
    study(proposal("a"))
    nothing = {"read_probability": None, "sessions_drawn": 0, "sessions_read": 0}
    assert pool("study").details == {"round": 1, "new": 1, "sample_probability": None, **nothing}
    save(proposals=[proposal("a"), proposal("b")])
    outcome = pool("study", sample=47)
    assert outcome.details == {"round": 1, "new": 48, "sample_probability": 1.0, **nothing}
    assert outcome.did.startswith("49 candidates (2 proposed, 47 sampled), 48 of them new in round")


def test_what_cannot_be_pooled_is_one_sentence(data):
    study()
    with pytest.raises(InputError, match=r"nothing to label.*gates replay.*--sample 40"):
        pool("study")
    with pytest.raises(InputError, match="--sample is -1; expected a number"):
        pool("study", sample=-1)
    save(proposals=[proposal(session_id="gone")])
    with pytest.raises(InputError, match=r"turn 0 of session 'gone', which is gone.*replay"):
        pool("study")
    adopt("study", rows("candidates"), notes={COMPLETE: "1"})
    with pytest.raises(InputError, match="came with its labels and is never pooled into; name"):
        pool("study")


def test_a_draw_from_nothing_fixes_no_probability(data):
    save(sessions=[{}], turns=talk(TEXT), proposals=[proposal(session_id="s1", quote=TEXT)])
    pool("study", sample=5)
    assert SAMPLE_P not in metadata("study", "candidates")
