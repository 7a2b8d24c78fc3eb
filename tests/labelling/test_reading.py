"""Sessions read whole: who is drawn, what marks become, and what each candidate then weighs."""

import json

import pytest

from labelling.candidates import QUESTIONS, pool
from labelling.reading import READ_P, draws, missed
from labelling.tables import InputError, frame, metadata, read, write
from labelling.tables.marks import MARKED
from labelling.tasks import TASK, candidates_task
from tests.studies import (  # noqa: F401
    REJECT,
    WRITE,
    own_data,
    read_whole,
    row,
    said,
    save,
    talk,
    votes,
)

TEXT = "We use BigQuery. It is fast. Call me Sam, please. I hate pies."
PEOPLE = 8


def study(*proposals, texts=(TEXT, "Noted."), people=PEOPLE):
    save(
        sessions=[{"session_id": f"s{n}", "user_id": f"u{n}"} for n in range(people)],
        turns=[turn for n in range(people) for turn in talk(*texts, session_id=f"s{n}")],
        proposals=proposals,
    )


def proposal(statement="Uses BigQuery.", quote="We use BigQuery", **more):
    given = {"session_id": "s0", "statement": statement, "quote": quote}
    return {**given, "evidence": said(0, TEXT, quote), **more}


def marked(session_id, annotator, *passages, label="fact", turn=0, text=TEXT):
    """The rows of a reader who marked these words of a turn."""
    pieces = [
        {"mark": n, "label": label, **{k: one[k] for k in ("turn", "start", "end")}}
        for n, words in enumerate(passages)
        for one in said(turn, text, words)
    ]
    return [
        *read_whole(session_id, annotator),
        row(
            "labels",
            candidate_id=session_id,
            annotator=annotator,
            question=MARKED,
            answer=json.dumps(pieces),
        ),
    ]


def candidates(**of):
    found = read("study", "candidates")
    for column, value in of.items():
        found = found.filter(found[column] == value)
    return found


def pooled(labels=(), **options):
    save(labels=labels)
    return pool("study", **options)


def test_sessions_are_drawn_by_a_probability_that_is_fixed_at_the_first_draw(data):
    study()
    outcome = pool("study", read_sessions=4)
    p = float(metadata("study", "candidates")[READ_P])
    assert p == 4 / PEOPLE
    drawn = draws.drawn_sessions("study", read("study", "turns"))
    assert outcome.details["sessions_drawn"] == len(drawn) > 0
    assert "to be read whole" in outcome.text
    pool("study", read_sessions=8)
    assert metadata("study", "candidates")[READ_P] == repr(p)
    kept = read("study", "turns").filter(read("study", "turns")["session_id"] != drawn[0])
    assert draws.drawn_sessions("study", kept) == drawn[1:]


def test_what_nobody_can_read_is_not_drawn(data):
    long = talk("x" * (draws.LONGEST + 1), session_id="long")
    silent = [row("turns", session_id="silent", turn=0, role="assistant", text="Hello?")]
    save(sessions=[{}], turns=[*talk("Hi."), *long, *silent], proposals=[])
    pool("study", read_sessions=9)
    assert draws.drawn_sessions("study", read("study", "turns")) == ["s1"]
    with pytest.raises(InputError, match="--read-sessions is -1; expected a number of sessions"):
        pool("study", read_sessions=-1)


def test_what_either_marked_is_one_candidate_in_the_words_of_the_longer_mark(data):
    study(people=1)
    pool("study", read_sessions=1)
    labels = marked("s0", "a", "Call me Sam", "I hate pies") + marked(
        "s0", "b", "Call me Sam, please."
    )
    outcome = pooled(labels)
    found = candidates().sort("statement")
    assert found["statement"].to_list() == ["Call me Sam, please.", "I hate pies"]
    assert set(found["strata"].list.join("+")) == {"read"}
    assert found["evidence"].to_list()[0] == said(0, TEXT, "Call me Sam, please.")
    assert found["round"].to_list() == [1, 1]
    assert outcome.details["sessions_read"] == 1
    before = candidates()
    pool("study", read_sessions=1)
    assert candidates().equals(before)


def test_a_reading_counts_once_two_have_read(data):
    study(people=1)
    pool("study", read_sessions=1)
    pooled(marked("s0", "a", "I hate pies"))
    assert candidates().is_empty()
    pooled(
        marked("s0", "a", "I hate pies")
        + [{**one, "answer": "no"} for one in read_whole("s0", "b")]
    )
    assert candidates().is_empty()


def test_a_mark_over_several_turns_rests_on_a_piece_of_each(data):
    texts = ("Shall I use UTC?", "Always use UTC?", "Yes, do.")
    study(texts=texts, people=1)
    pool("study", read_sessions=1)
    pieces = [
        {"mark": 0, "turn": 1, "start": 0, "end": 15, "label": "preference"},
        {"mark": 0, "turn": 2, "start": 0, "end": 8, "label": "preference"},
    ]
    answer = {"candidate_id": "s0", "question": MARKED, "answer": json.dumps(pieces)}
    pooled([*read_whole("s0"), row("labels", annotator="a0", **answer)])
    (found,) = candidates().to_dicts()
    assert found["statement"] == "Always use UTC? … Yes, do."
    assert [one["role"] for one in found["evidence"]] == ["assistant", "user"]
    assert found["turn"] == 2


def test_the_probability_is_that_of_the_union_of_the_routes(data):
    study(proposal())
    pool("study", sample=8)
    p_s = float(metadata("study", "candidates")["gates_sample_p"])
    first = candidates()
    pool("study", read_sessions=4)
    assert candidates().equals(first)  # nothing is read yet
    drawn = draws.drawn_sessions("study", read("study", "turns"))
    readings = [label for s in drawn for a in "ab" for label in marked(s, a, "I hate pies")]
    half = [label for s in drawn[:1] for a in "ab" for label in marked(s, a, "I hate pies")]
    p_r = 4 / PEOPLE
    for labels, chance in ((half, p_r / len(drawn)), (readings, p_r)):
        pooled(labels)
        union = 1 - (1 - p_s) * (1 - chance)
        unproposed = candidates().filter(~candidates()["strata"].list.contains("proposed"))
        assert unproposed["inclusion_probability"].to_list() == pytest.approx(
            [union] * unproposed.height
        )
        assert unproposed.height > first.height - 1
    assert candidates(statement="Uses BigQuery.")["inclusion_probability"].to_list() == [1]
    kept = candidates().filter(candidates()["candidate_id"].is_in(first["candidate_id"].implode()))
    assert kept.sort("candidate_id")["statement"].equals(first.sort("candidate_id")["statement"])


def test_a_sampled_sentence_that_was_marked_is_the_same_candidate_whichever_came_first(data):
    labels = marked("s0", "a", "Call me Sam") + marked("s0", "b")
    everything = 3  # sentences of one user, none of them proposed
    study(proposal(), people=1)
    pool("study", read_sessions=1, sample=everything)
    sampled = candidates()
    pooled(labels)
    assert candidates()["candidate_id"].equals(sampled["candidate_id"])
    met = candidates(statement="Call me Sam, please.")
    assert met["strata"].to_list() == [["sampled", "read"]]
    (data / "study" / "candidates.parquet").unlink()
    pool("study", read_sessions=1)
    pool("study", sample=everything)
    assert candidates(statement="Call me Sam")["strata"].to_list() == [["sampled", "read"]]
    assert candidates().height == sampled.height
    (data / "study" / "candidates.parquet").unlink()


def test_a_mark_on_a_proposal_is_the_proposal_s_unless_that_is_rejected(data):
    study(proposal("Uses Snowflake."), people=1)
    pool("study", read_sessions=1)
    labels = marked("s0", "a", "We use BigQuery.") + marked("s0", "b", "We use BigQuery.")
    pooled(labels)
    (only,) = candidates().to_dicts()
    assert only["strata"] == ["proposed"]
    pooled(labels + votes(only["candidate_id"], WRITE, REJECT))
    assert candidates().height == 1
    pooled(labels + votes(only["candidate_id"], REJECT, REJECT), sample=2)
    (new,) = candidates(statement="We use BigQuery.").to_dicts()
    assert (new["strata"], new["round"]) == (["read"], 2)
    assert (
        new["inclusion_probability"] == 1
    )  # that of the reading alone: no draw of sentences had it


def test_the_same_words_in_two_places_are_one_candidate_that_rests_on_both(data):
    study(texts=("Call me Sam.", "Ok.", "Call me Sam!"), people=1)
    pool("study", read_sessions=1)
    spans = [{"mark": n, "turn": n, "start": 0, "end": 11, "label": "fact"} for n in (0, 2)]
    answer = {"candidate_id": "s0", "question": MARKED, "answer": json.dumps(spans)}
    labels = [*read_whole("s0"), row("labels", annotator="a0", **answer)]
    pooled(labels)
    (found,) = candidates().to_dicts()
    assert [one["turn"] for one in found["evidence"]] == [0, 2]
    assert found["quote"] == "Call me Sam … Call me Sam"
    before = candidates()
    pooled(labels)
    assert candidates().equals(before)


def test_a_correction_follows_the_probability_of_what_it_corrects(data):
    study(people=2)
    pool("study", sample=2, read_sessions=2)
    origin = candidates().to_dicts()[0]
    wrote = {"candidate_id": origin["candidate_id"], "question": "corrected"}
    labels = [row("labels", **wrote, answer="The right words.")]
    pooled(labels)
    readings = [one for n in range(2) for one in read_whole(f"s{n}")]
    pooled(labels + readings)
    now = dict(candidates().select("statement", "inclusion_probability").iter_rows())
    assert now["The right words."] == now[origin["statement"]] == 1


def test_readings_open_no_round_and_answers_to_candidates_do(data):
    study(proposal("a", quote="It is fast"))
    pool("study", read_sessions=PEOPLE)
    other = proposal("b", quote="I hate pies")
    pilot = votes(candidates()["candidate_id"][0], WRITE, pilot=True, occasion=2)
    judged = [row("labels", question="adjudication", answer="write")]
    save(
        proposals=[proposal("a", quote="It is fast"), other],
        labels=[*read_whole("s1"), *pilot, *judged],
    )
    pool("study")
    assert candidates()["round"].to_list() == [1, 1]
    pooled(
        marked("s1", "a0", "I hate pies")
        + read_whole("s1", "a1")
        + votes(candidates()["candidate_id"][0], WRITE)
    )
    assert candidates(statement="I hate pies")["round"].to_list() == [2]
    assert {question.name for question in candidates_task().questions} | {TASK} == set(QUESTIONS)


def test_marks_in_what_was_ingested_otherwise_are_one_sentence(data):
    study(people=1)
    pool("study", read_sessions=1)
    labels = [*read_whole("s0"), *marked("s0", "a0", "I hate pies")[1:]]
    save(turns=talk("Short.", session_id="s0"))
    with pytest.raises(
        InputError, match=r"marked .* in turn 0 of session 's0', which is not there"
    ):
        pooled(labels)


def test_only_what_the_last_scoring_left_unjudged(data):
    offered = [proposal("a", proposal_id="p1"), proposal("b", "It is fast", proposal_id="p2")]
    study(*offered)
    with pytest.raises(InputError, match=r"has no captures yet.*run `gates score"):
        pool("study", unjudged=True)
    statuses = {"p1": "unjudged", "p2": "wrong"}
    fixed = {"gate": "x", "setting": "default", "claim_id": "0" * 16, "repeat": False, "how": "h"}
    captures = [{**fixed, "proposal_id": p, "status": s} for p, s in statuses.items()]
    write("study", "captures", frame("captures", captures))
    pool("study", unjudged=True)
    assert candidates()["statement"].to_list() == ["a"]


def test_what_both_readers_missed(data):
    words = ("We use BigQuery", "It is fast", "Call me Sam", "I hate pies")
    study(proposal("Is fast.", "It is fast"), people=1)
    pool("study")
    labels = marked("s0", "a", *words[:3]) + marked("s0", "b", *words[1:])
    save(labels=labels)
    found = missed(read("study", "labels"), candidates())
    assert (found.first, found.second, found.both) == (3, 3, 2)
    assert found.neither.value == pytest.approx(4 * 4 / 3 - 1 - 4)
    assert "1 session read whole by two: one marked 3 passages" in found.in_words()[0]
    rejected = votes(candidates()["candidate_id"][0], REJECT, REJECT)
    save(labels=labels + rejected)
    assert missed(read("study", "labels"), candidates()).both == 1
    save(labels=marked("s0", "a", *words[:1]) + marked("s0", "b", *words[2:]))
    alone = missed(read("study", "labels"), candidates())
    assert alone.plain()["reason"] == "no passage was marked by both"
    assert "not known: no passage" in alone.in_words()[0]
