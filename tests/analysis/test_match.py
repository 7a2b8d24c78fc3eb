"""The verdict on a record: each rule alone, the first of two, and what is never a capture."""

import json
from itertools import product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.match import doubtful, is_record, judged, offered
from analysis.truth import headline
from labelling.reference import reference_facts
from labelling.tables import check
from tests.studies import REJECT, WRITE, read_whole, row, rows, said, talk, votes

TEXTS = (
    "We use BigQuery in the EU. The build broke today.",
    "Snowflake would suit you better.",
    "Ok, thanks.",
    "Noted: you use BigQuery.",
    "As I said, BigQuery it is.",
)
SLOT = {"slot": "warehouse", "value": "BigQuery"}
OURS = said(0, TEXTS[0], "We use BigQuery")
BROKE = said(0, TEXTS[0], "The build broke today")
ADVICE = said(1, TEXTS[1], "Snowflake would suit you", role="assistant")
FACT = {"statement": "The warehouse is BigQuery.", "evidence": OURS, **SLOT}
OTHER = {"statement": "The build broke.", "evidence": BROKE, "quote": "The build broke today"}
"""A record that shares nothing with the fact."""


def judge(*records, candidates=(), labels=(), events=(), links=(), turns=None, matching="default"):
    """The rows of captures, in the order of the records."""
    cards = rows("candidates", *candidates)
    answers = rows("labels", *labels)
    people = rows("sessions", {}, {"session_id": "s2"})
    given = [row("proposals", proposal_id=f"p{n}", **one) for n, one in enumerate(records)]
    offers = offered(
        rows("proposals", *given),
        turns=rows("turns", *(turns or [*talk(*TEXTS), *talk(*TEXTS, session_id="s2")])),
        events=rows("events", *events),
        candidates=cards,
        labels=answers,
        links=rows("links", *links),
    )
    facts = reference_facts(answers, cards, people)
    tables = {"candidates": cards, "labels": answers, "sessions": people, "reference_facts": facts}
    found = judged(offers, headline(tables), matching).captures
    assert check("captures", found).bad.is_empty()
    return found.sort("proposal_id").to_dicts()


def verdict(record, *votes_given, candidate=FACT, **more):
    """Status and rule for one record beside one candidate with these answers."""
    labels = [*votes("c1", *votes_given), *more.pop("labels", ())]
    (found,) = judge(record, candidates=[candidate], labels=labels, **more)
    return found["status"], found["how"]


def same(**changes):
    """A record that equals the candidate but for the changes."""
    return {**FACT, "quote": "We use BigQuery", **changes}


# 1. hard checks


def test_a_record_on_the_user_s_words_passes():
    assert judge(same())[0]["status"] == "unjudged"


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        ({"evidence": ADVICE, "quote": "Snowflake would suit you"}, "assistant_claim"),
        ({"evidence": [], "quote": "never said"}, "unsupported"),
        ({"evidence": [{**OURS[0], "turn": 99}], "quote": None}, "unsupported"),
        ({"evidence": [{**ADVICE[0], "role": "user"}], "quote": None}, "assistant_claim"),
    ],
)
def test_without_a_user_s_words_it_is_wrong(record, kind):
    (found,) = judge(record)
    assert (found["status"], found["how"], found["error_kind"]) == ("wrong", "hard_check", kind)


def test_inside_injected_text_it_is_wrong():
    turns = talk(*TEXTS)
    turns[0]["injected_spans"] = [{"start": 10, "end": 20}]
    (inside, beside) = judge(same(), OTHER, turns=turns)
    assert (inside["how"], inside["error_kind"]) == ("hard_check", "injected")
    assert beside["status"] == "unjudged"


@pytest.mark.parametrize("beside", [(0, 7), (15, 20)])
def test_words_beside_injected_text_are_the_user_s(beside):
    turns = talk(*TEXTS)
    turns[0]["injected_spans"] = [dict(zip(("start", "end"), beside, strict=True))]
    record = {"statement": "On it.", "evidence": said(0, TEXTS[0], "BigQuery")}  # 7 to 15
    assert judge(record, turns=turns)[0]["how"] == "nobody judged it"


def test_an_assistant_s_sentence_counts_with_the_user_s_turn_that_accepts_it():
    accepted = [*ADVICE, *said(2, TEXTS[2], "Ok")]
    assert (
        judge({"evidence": accepted, "quote": "Snowflake would suit you"})[0]["how"] != "hard_check"
    )


def test_a_press_is_evidence_for_its_own_statement_alone():
    record = {"statement": "Likes Snowflake.", "evidence": ADVICE}
    press = {"turn": 1, "statement": "likes snowflake"}
    assert judge(record, events=[press])[0]["status"] == "unjudged"
    for other in (
        {**press, "statement": "Likes pies."},
        {**press, "session_id": "s2"},
        {**press, "event": "confirmation_offered"},
        {"turn": 1},
    ):
        assert judge(record, events=[other])[0]["how"] == "hard_check"


def test_a_live_record_without_any_quote_is_left_to_the_other_rules():
    assert judge({"statement": "Likes tea."})[0]["status"] == "unjudged"
    assert verdict({**FACT, "evidence": []}, WRITE, WRITE) == ("correct", "own_candidate")


# 2. its own candidate


@pytest.mark.parametrize(
    ("answers", "status"),
    [
        ([WRITE, WRITE], "correct"),
        ([REJECT, REJECT], "wrong"),
        ([WRITE, REJECT], "disputed"),
        ([WRITE], "unjudged"),
    ],
)
def test_its_own_candidate_decides(answers, status):
    linked = {"statement": "Words of another kind.", "proposal_ids": ["p0"]}
    assert verdict(OTHER, *answers, candidate=linked)[0] == status
    assert verdict(same(), *answers)[0] == status
    unknown = {"kind": None, "polarity": None}
    expected = (status, "own_candidate" if status != "unjudged" else "nobody judged it")
    assert verdict(same(**unknown), *answers, candidate={**FACT, **unknown}) == expected


def test_a_wrong_record_says_why_where_the_annotators_agree():
    def kind(*reasons):
        named = [
            row("labels", annotator=f"a{n}", question="reject_reason", answer=reason)
            for n, reason in enumerate(reasons)
        ]
        labels = votes("c1", REJECT, REJECT) + named
        return judge(same(), candidates=[FACT], labels=labels)[0]["error_kind"]

    assert kind("situational", "situational") == kind("situational") == "situational"
    assert kind("situational", "stale") is kind() is None
    assert kind("<b>of another form's</b>") == "other"


# 3. it captures a reference fact


def test_slot_and_value_capture():
    record = {**OTHER, "slot": "Warehouse", "value": "bigquery.", "kind": "preference"}
    assert verdict(record, WRITE, WRITE) == ("correct", "slot_value")
    elsewhere = {**record, "session_id": "s2"}
    assert verdict(elsewhere, WRITE, WRITE)[0] == "unjudged"


@pytest.mark.parametrize(
    ("quote", "captures"),
    [
        ("We use BigQuery", True),
        ("BigQuery in the EU", True),  # 8 of the 15 shared: half of the shorter
        ("Query in the EU. The build", False),  # 5 of 15
        ("We use BigQuery in the EU. The build broke today.", True),  # the shorter lies inside
        ("The build broke", False),
    ],
)
def test_words_that_overlap_by_half_of_the_shorter_capture(quote, captures):
    record = {"statement": "On BigQuery.", "evidence": said(0, TEXTS[0], quote), "quote": quote}
    expected = ("correct", "evidence_overlap") if captures else ("unjudged", "nobody judged it")
    assert verdict(record, WRITE, WRITE) == expected


@pytest.mark.parametrize(
    ("fact", "record", "captures"),
    [
        ("use BigQuery", "gQuery in th", True),  # 6 of 12
        ("use BigQuery", "Query in the", False),  # 5 of 12
        ("We use BigQuery", "uery in ", True),  # 4 of 8
        ("We use BigQuery", "ery in t", False),  # 3 of 8
        ("uery in ", "We use BigQuery", True),
        ("ery in t", "We use BigQuery", False),
        ("We use BigQuery", " in the EU", False),  # side by side
    ],
)
def test_half_of_the_shorter_is_enough(fact, record, captures):
    candidate = {"statement": "Of its own.", "evidence": said(0, TEXTS[0], fact)}
    found = verdict(
        {"statement": "On it.", "evidence": said(0, TEXTS[0], record)},
        *(WRITE, WRITE),
        candidate=candidate,
    )
    assert found[0] == ("correct" if captures else "unjudged")


def test_the_words_must_be_of_one_turn_and_the_user_s():
    record = {"statement": "It is BigQuery.", "evidence": said(4, TEXTS[4], "BigQuery it is")}
    assert verdict(record, WRITE, WRITE)[0] == "unjudged"
    advice = {"statement": "Snowflake.", "evidence": [*ADVICE, *said(2, TEXTS[2], "Ok")]}
    theirs = {**FACT, "slot": None, "value": None, "evidence": [*ADVICE, *OURS]}
    assert verdict(advice, WRITE, WRITE, candidate=theirs)[0] == "unjudged"


def test_the_fact_whose_words_overlap_most_is_captured():
    candidates = [
        {"candidate_id": "near", "statement": "a", "evidence": said(0, TEXTS[0], "use BigQuery")},
        {"candidate_id": "full", "statement": "b", "evidence": OURS},
    ]
    labels = votes("near", WRITE, WRITE) + votes("full", WRITE, WRITE)
    record = {"statement": "c", "evidence": OURS}
    assert judge(record, candidates=candidates, labels=labels)[0]["fact_id"] == "full"


UNKNOWN = [{"scope": None}, {"polarity": None}]


@pytest.mark.parametrize("unknown", UNKNOWN, ids=["scope", "polarity"])
def test_an_unknown_scope_or_polarity_is_never_automatic(unknown):
    record = {"statement": "On BigQuery.", "evidence": OURS, **unknown}
    assert verdict(record, WRITE, WRITE)[0] == "unjudged"
    record, fact = {"statement": "On BigQuery.", "evidence": OURS}, {**FACT, **unknown}
    assert verdict(record, WRITE, WRITE, candidate=fact)[0] == "unjudged"


WRONG = {
    "value": {"value": "Snowflake"},
    "polarity": {"polarity": False},
    "scope": {"scope": "project:x"},
    "speaker": {"evidence": ADVICE, "quote": "Snowflake would suit you"},
}


@given(
    st.sampled_from(list(WRONG)),
    st.fixed_dictionaries(
        {},
        optional={
            "kind": st.sampled_from(["fact", "preference", None]),
            "evidence": st.sampled_from([OURS, said(0, TEXTS[0], TEXTS[0]), []]),
            "slot": st.sampled_from(["warehouse", "WAREHOUSE", "database"]),
            "gate": st.sampled_from(["x", "y"]),
        },
    ),
    st.sampled_from([(WRITE, WRITE), (WRITE, WRITE, WRITE)]),
)
def test_wrong_value_polarity_scope_or_speaker_is_never_a_capture(fault, varied, answers):
    # a record's statement says its value, so another value comes in other words
    record = {**same(), **varied, "statement": "On it.", **WRONG[fault]}
    status, _ = verdict(record, *answers)
    assert status in ("wrong", "unjudged")


# 4, 5. it equals a rejected or a disputed candidate


ALIKE = [
    {"statement": "the warehouse is bigquery!", "kind": "preference", "slot": None, "value": None},
    {"statement": "Something else.", "kind": "preference"},
]


@pytest.mark.parametrize("alike", ALIKE, ids=["statement", "slot"])
@pytest.mark.parametrize(
    ("answers", "status", "how"),
    [
        ([REJECT, REJECT], "wrong", "equals_rejected"),
        ([WRITE, REJECT], "disputed", "equals_disputed"),
    ],
)
def test_what_equals_a_decided_candidate_of_another_kind(alike, answers, status, how):
    assert verdict(same(**alike), *answers) == (status, how)
    for apart in ({"scope": "project:x"}, {"polarity": False}, {"session_id": "s2"}):
        assert verdict(same(**alike, **apart), *answers)[0] == "unjudged"


# 6. its session was read whole


def test_in_a_session_read_whole_what_matches_nothing_is_wrong():
    assert verdict(OTHER, WRITE, WRITE)[0] == "unjudged"
    assert verdict(OTHER, WRITE, WRITE, labels=read_whole()) == ("wrong", "read_whole")
    assert verdict(OTHER, WRITE, WRITE, labels=read_whole("s2"))[0] == "unjudged"
    assert verdict(OTHER, WRITE, WRITE, labels=read_whole("s1", "a0"))[0] == "unjudged"


def test_while_a_reader_s_mark_is_no_candidate_nobody_says_that_the_rest_is_wrong():
    mine = {"turn": 4, "start": 0, "end": 9, "label": "fact"}
    mark = row("labels", candidate_id="s1", annotator="a0", question="marked")
    labels = [*read_whole(), {**mark, "answer": f"[{json.dumps(mine)}]"}]
    assert verdict(OTHER, WRITE, WRITE, labels=labels)[0] == "unjudged"
    there = {**FACT, "evidence": [*FACT["evidence"], {**mine, "role": "user"}]}
    assert verdict(OTHER, WRITE, WRITE, candidate=there, labels=labels) == ("wrong", "read_whole")


DOUBTFUL = {
    "scope unknown": {"statement": "On it.", "evidence": OURS, "scope": None},
    "polarity unknown": {"statement": "On it.", "evidence": OURS, "polarity": None},
    "another slot": {"statement": "On it.", "evidence": OURS, "slot": "db", "value": "bigquery"},
    "the same words, no scope": {"statement": FACT["statement"], "scope": None},
    "no evidence to compare": {"statement": "On it."},
}


@pytest.mark.parametrize("record", DOUBTFUL.values(), ids=DOUBTFUL)
def test_a_doubtful_pair_in_a_session_read_whole_stays_unjudged(record):
    for answers in ([WRITE, WRITE], [WRITE, REJECT], [WRITE]):
        assert verdict(record, *answers, labels=read_whole())[0] == "unjudged"


def test_no_doubt_where_the_candidate_was_rejected_or_says_something_else():
    record = {"statement": "On it.", "evidence": OURS, "scope": None}
    assert verdict(record, REJECT, REJECT, labels=read_whole())[0] == "wrong"
    for wrong in ({"value": "Snowflake", "slot": "warehouse"}, {"polarity": False}):
        assert verdict({**record, **wrong}, WRITE, WRITE, labels=read_whole())[0] == "wrong"


# the first rule that holds

SPEAKER = WRONG["speaker"]


def test_a_hard_check_comes_before_everything():
    for answers in ([WRITE, WRITE], [WRITE, REJECT], [REJECT, REJECT]):
        assert verdict(same(**SPEAKER), *answers, labels=read_whole()) == ("wrong", "hard_check")


def pair(record, first, second):
    """The verdict where two candidates, each with its answers, could decide."""
    cards = [{**first[0], "candidate_id": "c1"}, {**second[0], "candidate_id": "c2"}]
    labels = votes("c1", *first[1]) + votes("c2", *second[1]) + read_whole()
    (found,) = judge(record, candidates=cards, labels=labels)
    return found["status"], found["how"]


YES, NO, SPLIT = [WRITE, WRITE], [REJECT, REJECT], [WRITE, REJECT]
LINKED = {"statement": "Of its own.", "proposal_ids": ["p0"]}
FOUND = {"statement": "Captured.", "kind": "preference", **SLOT}
EQUAL = {"statement": FACT["statement"], "kind": "preference"}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((LINKED, NO), (FOUND, YES), ("wrong", "own_candidate")),
        ((LINKED, SPLIT), (FOUND, YES), ("disputed", "own_candidate")),
        ((LINKED, YES), (EQUAL, NO), ("correct", "own_candidate")),
        ((LINKED, [WRITE]), (FOUND, YES), ("correct", "slot_value")),
        ((FOUND, YES), (EQUAL, NO), ("correct", "slot_value")),
        ((FOUND, YES), (EQUAL, SPLIT), ("correct", "slot_value")),
        ((EQUAL, NO), (FOUND, SPLIT), ("wrong", "equals_rejected")),
        ((EQUAL, SPLIT), ({**EQUAL, "scope": "a:b"}, NO), ("disputed", "equals_disputed")),
    ],
)
def test_of_two_rules_the_first_holds(first, second, expected):
    assert pair(same(), first, second) == expected
    assert pair(same(), second, first) == expected


# repeats, claims, what is judged


def test_a_repeat_is_correct_again():
    again = same(statement="Again.", turn=4)
    records = (again, same(), same(gate="y"), same(session_id="s2"))
    found = judge(*records, candidates=[FACT], labels=votes("c1", WRITE, WRITE))
    assert [one["status"] for one in found] == ["correct", "correct", "correct", "unjudged"]
    assert [one["repeat"] for one in found] == [True, False, False, False]


def test_what_captures_nothing_and_what_no_threshold_has_made_a_record_is_no_repeat():
    below = {"verdict": "reject", "reject_reason": "below_threshold", "score": 0.1}
    records = (same(), same(**below), OTHER, OTHER, same(turn=4, **below), same(turn=4))
    found = judge(*records, candidates=[FACT], labels=votes("c1", WRITE, WRITE))
    assert [one["status"] for one in found] == [
        *("correct", "correct", "unjudged", "unjudged", "correct", "correct")
    ]
    assert [one["repeat"] for one in found] == [False, False, False, False, False, True]


def test_a_claim_is_what_is_said_where_and_how():
    def claim(**changes):
        return judge(same(**changes))[0]["claim_id"]

    assert claim() == claim(statement="Other words.", value="bigquery", gate="y", kind=None)
    words = {"slot": None, "value": None}
    assert claim(**words) == claim(**words, statement="the warehouse is  bigquery")
    apart = [{}, words, {"scope": None}, {"polarity": False}, {"session_id": "s2"}, {"value": "x"}]
    assert len({claim(**one) for one in apart}) == len(apart)
    assert claim(slot="a", value="b=c") != claim(slot="a=b", value="c")


VERDICTS = ("admit", "reject", "log", "confirm", "known")


def test_judged_is_what_is_or_could_be_a_record():
    reasons = (None, "below_threshold", "negated")
    offered = list(product(VERDICTS, reasons, (None, 0.5)))
    records = [{"verdict": v, "reject_reason": r, "score": s} for v, r, s in offered]
    found = {int(one["proposal_id"][1:]) for one in judge(*records)}
    assert {offered[n] for n in found} == {
        *(one for one in offered if one[0] == "admit"),
        ("reject", "below_threshold", 0.5),
    }


def test_a_threshold_is_inclusive():
    offered = rows(
        "proposals",
        {"score": 0.5},
        {"score": 0.4},
        {"score": 0.6, "verdict": "reject", "reject_reason": "below_threshold"},
        {"score": 0.9, "verdict": "reject", "reject_reason": "negated"},
        {"score": None},
    )
    assert offered.filter(is_record(0.5))["score"].to_list() == [0.5, 0.6]
    assert offered.filter(is_record()).height == 3


def test_nothing_offered_is_nothing_judged():
    assert judge(candidates=[FACT], labels=votes("c1", WRITE, WRITE)) == []
    assert judge(same(verdict="log")) == []


def test_the_order_of_proposals_and_candidates_changes_nothing():
    cards = [
        {**FACT, "candidate_id": name, "kind": kind} for name, kind in (("b", None), ("a", "fact"))
    ]
    labels = votes("a", WRITE, WRITE) + votes("b", REJECT, REJECT)
    records = [same(kind=kind) for kind in ("fact", "preference", None)]
    one = judge(*records, candidates=cards, labels=labels)
    other = judge(*records, candidates=cards[::-1], labels=labels[::-1])
    assert pl.DataFrame(one).equals(pl.DataFrame(other))


def test_a_copied_sentence_is_the_candidate_of_every_record_in_its_words():
    copied = {"statement": "We use BigQuery", "evidence": OURS}
    record = {**copied, "statement": "we use BigQuery.", "scope": "repo:x", "polarity": True}
    nothing = {"scope": None, "polarity": None, "kind": None}
    found = verdict({**record, "quote": None}, WRITE, WRITE, candidate={**copied, **nothing})
    assert found == ("correct", "own_candidate")


# doubtful pairs, and what people say of them

LINK = {"proposal_id": "p0", "fact_id": "c1"}
UNSURE = {"statement": "On it.", "evidence": OURS, "scope": None}


def doubts(record, *votes_given, candidate=FACT):
    cards, answers = rows("candidates", candidate), rows("labels", *votes("c1", *votes_given))
    people = rows("sessions", {})
    offers = offered(
        rows("proposals", {"proposal_id": "p0", **record}),
        turns=rows("turns", *talk(*TEXTS)),
        events=rows("events"),
        candidates=cards,
        labels=answers,
        links=rows("links"),
    )
    facts = reference_facts(answers, cards, people)
    tables = {"candidates": cards, "labels": answers, "sessions": people, "reference_facts": facts}
    return doubtful(offers, headline(tables)).rows()


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (UNSURE, "the same words of the user, scope unknown, value unknown"),
        (
            {**UNSURE, "scope": "global", **SLOT, "slot": "db"},
            "the same words of the user, another slot",
        ),
        (
            {"statement": FACT["statement"], "scope": None},
            "the same statement elsewhere, scope unknown, value unknown",
        ),
        (
            {
                "statement": "BigQuery warehouse now.",
                "evidence": said(4, TEXTS[4], "BigQuery it is"),
            },
            "similar statements, value unknown",
        ),
        ({"statement": "On it.", **SLOT, "slot": "db"}, "no evidence to compare, another slot"),
    ],
)
def test_a_doubtful_pair_says_what_is_in_doubt(record, why):
    assert doubts(record, WRITE, WRITE) == [("p0", "c1", why)]
    assert doubts(record, WRITE) == [("p0", "c1", why)]  # a candidate nobody decided yet
    assert doubts(record, REJECT, REJECT) == []


def test_what_is_decided_or_contradicts_itself_is_not_in_doubt():
    assert doubts(same(), WRITE, WRITE) == []
    assert doubts({**UNSURE, "polarity": False}, WRITE, WRITE) == []
    assert doubts(SPEAKER | {"statement": FACT["statement"], "scope": None}, WRITE, WRITE) == []


@pytest.mark.parametrize(
    ("answers", "status"),
    [((WRITE, WRITE), "correct"), ((REJECT, REJECT), "wrong"), ((WRITE, REJECT), "disputed")],
)
def test_a_pair_that_people_call_the_same_is_judged_as_its_candidate(answers, status):
    assert verdict(UNSURE, *answers, links=[LINK]) == (status, "linked")
    for word in ({"same": False}, {"fact_id": "c9"}):
        assert verdict(UNSURE, *answers, links=[{**LINK, **word}])[0] == "unjudged"
    split = [LINK, {**LINK, "annotator": "ben", "same": False}]
    assert verdict(UNSURE, *answers, links=split)[0] == "unjudged"


def test_nobody_can_say_that_another_value_polarity_or_scope_is_the_same():
    for change in ({"value": "Snowflake"}, {"polarity": False}, {"scope": "project:x"}):
        record = {**UNSURE, "scope": "global", **SLOT, "slot": "db", **change}
        assert verdict(record, WRITE, WRITE, links=[LINK])[0] == "unjudged"


def test_a_pair_that_people_call_different_is_no_capture_and_no_doubt():
    apart = [{**LINK, "same": False}]
    record = {"statement": "On BigQuery.", "evidence": OURS}
    assert verdict(record, WRITE, WRITE, links=apart)[0] == "unjudged"
    assert verdict(record, WRITE, WRITE, links=apart, labels=read_whole()) == (
        "wrong",
        "read_whole",
    )
    # but what people said of the very candidate stands
    assert verdict(same(), WRITE, WRITE, links=apart) == ("correct", "own_candidate")


@pytest.mark.parametrize(
    ("record", "strict", "default", "lenient"),
    [
        (same(), "correct", "correct", "correct"),
        ({**OTHER, **SLOT}, "correct", "correct", "correct"),
        ({"statement": "On BigQuery.", "evidence": OURS}, "unjudged", "correct", "correct"),
        (UNSURE, "unjudged", "unjudged", "correct"),
        ({"statement": "On it."}, "unjudged", "unjudged", "unjudged"),  # nothing is alike
    ],
)
def test_three_ways_to_match(record, strict, default, lenient):
    for matching, status in (("strict", strict), ("default", default), ("lenient", lenient)):
        assert verdict(record, WRITE, WRITE, matching=matching)[0] == status


def test_in_a_session_read_whole_strict_matching_takes_what_is_in_doubt_for_wrong():
    for matching, status in (("strict", "wrong"), ("default", "unjudged"), ("lenient", "correct")):
        found = verdict(UNSURE, WRITE, WRITE, labels=read_whole(), matching=matching)
        assert found[0] == status


@pytest.mark.parametrize(
    ("statement", "captures"),
    [
        ("Data is in BigQuery, in the EU.", True),
        ("The warehouse is Snowflake.", False),
        ("Likes BigQueryX.", False),
    ],
)
def test_a_statement_without_the_value_that_the_words_hold_may_be_a_look_alike(statement, captures):
    record = {"statement": statement, "evidence": OURS, "quote": "We use BigQuery"}
    given = {"candidate": {**FACT, "quote": "We use BigQuery"}, "labels": read_whole()}
    assert (verdict(record, WRITE, WRITE, **given)[0] == "correct") == captures
    assert verdict(record, WRITE, WRITE, **given)[0] != "wrong"  # a person has to say
    unspoken = {**FACT, "quote": "We use BigQuery", "value": "google"}
    assert verdict(record, WRITE, WRITE, candidate=unspoken)[0] == "correct"


def test_a_record_like_a_candidate_that_nobody_decided_stays_open_in_a_session_read_whole():
    for answers in ([WRITE], []):
        for record in (same(), {"statement": "On BigQuery.", "evidence": OURS}):
            assert verdict(record, *answers, labels=read_whole())[0] == "unjudged"
