"""From tables to operating points: the golden study through the command line, denominators,
identities on random studies."""

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.cli import main
from analysis.score import evaluated, score
from labelling.reference import make_reference, reference_facts
from labelling.tables import InputError, read, write
from tests.scored import study
from tests.studies import (  # noqa: F401
    DEV_USER,
    GOLDEN,
    REJECT,
    WRITE,
    files,
    one_object,
    own_data,
    row,
    rows,
    said,
    save,
    talk,
    votes,
)

STUDY = json.loads((GOLDEN / "study.json").read_text(encoding="utf-8"))
TURNS = STUDY["assistant_turns"]
SPOKEN = talk(*(text for n in range(TURNS) for text in (f"Sentence {n} of mine.", "I see.")))
PLACES = {"f1": 0, "f2": 2, "f3": 4, "f4": 6, "d1": 8, "wrong": 10, "nobody": 12}
"""Candidate -> the user turn it rests on."""
ANSWERS = {"d1": (WRITE, REJECT), "wrong": (REJECT, REJECT), "nobody": (WRITE,)}


def resting(turn):
    text = SPOKEN[turn]["text"]
    return {"turn": turn, "evidence": said(turn, text, text), "quote": text}


def golden_candidates():
    for name, turn in PLACES.items():
        p = 0.25 if name == "f3" else 1.0
        words = {"candidate_id": name, "statement": f"Statement {name}."}
        yield {**resting(turn), **words, "inclusion_probability": p}


def golden_proposals():
    for gate, case in STUDY["gates"].items():
        for name, status, fact in case["records"]:
            about = fact or {"wrong": "wrong", "unjudged": "nobody"}[status]
            words = {"proposal_id": f"{gate}-{name}", "gate": gate, "statement": f"{name} {about}."}
            yield {**resting(PLACES[about]), **words}


def write_golden():
    labels = [one for name in PLACES for one in votes(name, *ANSWERS.get(name, (WRITE, WRITE)))]
    proposals = list(golden_proposals())
    cards = [
        {**one, "proposal_ids": [p["proposal_id"] for p in proposals if p["turn"] == one["turn"]]}
        for one in golden_candidates()
    ]
    save(
        sessions=[{}],
        turns=SPOKEN,
        events=[],
        proposals=proposals,
        gate_turns=[{"gate": g, "turn": 2 * n} for g in STUDY["gates"] for n in range(TURNS)],
        candidates=cards,
        labels=labels,
    )


def assert_golden(points):
    found = {row["gate"]: row for row in points.to_dicts()}
    assert found.keys() == STUDY["gates"].keys()
    for gate, case in STUDY["gates"].items():
        expected = {column: v for column, v in case["expect"].items() if column != "identity"}
        given = {column: found[gate][column] for column in expected}
        assert given == pytest.approx(expected, abs=1e-9)


def headline():
    return read("study", "operating_points").filter(pl.col("variant") == "headline")


@pytest.mark.parametrize("split", ["test", "all"])
def test_the_golden_study_through_the_command_line(data, split, capsys):
    write_golden()
    assert main(["reference", "--study", "study"]) == 0
    assert main(["score", "--study", "study", "--split", split]) == 0
    assert_golden(headline())
    assert set(read("study", "operating_points")["split"]) == {split}
    weights = dict(read("study", "reference_facts").select("fact_id", "weight").iter_rows())
    assert weights == {fact["fact_id"]: fact["weight"] for fact in STUDY["reference_facts"]}


def test_the_golden_study_with_its_facts_given(data, capsys):
    write_golden()
    facts = [{**one, "fact_key": one["fact_id"]} for one in STUDY["reference_facts"]]
    for one in facts:
        one.pop("why", None)
        one |= {"statement": f"Statement {one['fact_id']}.", "turn": PLACES[one["fact_id"]]}
    save(reference_facts=facts)
    assert main(["score", "--study", "study"]) == 0
    assert_golden(headline())


def test_every_null_of_a_point_has_its_reason(data):
    write_golden()
    main(["reference", "--study", "study"])
    score("study")
    for point in read("study", "operating_points").to_dicts():
        said_why = {one["column"] for one in point["reasons"]}
        optional = {"threshold"}  # null = as the gate ran
        assert {c for c, v in point.items() if v is None} - optional <= said_why
        reasons = {one["column"]: one["reason"] for one in point["reasons"]}
        assert "one user or session" in reasons["write_rate_ci_low"]


def test_a_study_without_users_of_the_split_is_told_so(data):
    write_golden()
    main(["reference", "--study", "study"])
    with pytest.raises(InputError, match=r"study 'study' has no dev users; .*--split all"):
        score("study", split="dev")
    with pytest.raises(InputError, match=r"no split 'x'; expected one of: test, dev, all"):
        score("study", split="x")


def test_scorings_of_test_users_are_counted(data, capsys):
    write_golden()
    save(sessions=[{}, {"session_id": "s2", "user_id": DEV_USER}])
    main(["reference", "--study", "study"])
    times = [score("study", split=s).details["test_scorings"] for s in ("test", "dev", "all")]
    assert times == [1, 1, 2]
    assert "scored 3 times" in score("study").text
    (data / "study" / "test-scorings.json").write_text("[]")
    with pytest.raises(InputError, match=r"test-scorings.json is damaged; expected.*move it away"):
        score("study")


# any study: sessions of turns that a gate wrote about, candidates that people answered

VOTES = {"accepted": (WRITE, WRITE), "rejected": (REJECT, REJECT), "disputed": (WRITE, REJECT)}
DECISIONS = st.sampled_from([*VOTES, "unjudged"])
candidate_lists = st.lists(st.tuples(DECISIONS, st.sampled_from([1.0, 0.5])), max_size=7)
written = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2)), max_size=12)


def points(
    cards, records, *, sessions=None, gate_turns=None, turns=None, split="all", variant="headline"
):
    """Operating points of gate x on candidates (decision, p, session?) and their records.

    A record is (candidate, place); a candidate without a session is of s1.
    """
    candidates = [
        {"candidate_id": f"c{n}", "statement": f"Fact {n}.", "inclusion_probability": p}
        | {"session_id": session[0] if session else "s1"}
        for n, (_, p, *session) in enumerate(cards)
    ]
    answers = [VOTES.get(decision, ()) for decision, *_ in cards]
    labels = [one for n, given in enumerate(answers) for one in votes(f"c{n}", *given)]
    proposals = [
        {"proposal_id": f"p{i}", "statement": f"Fact {n}.", "turn": 2 * place}
        for i, (n, place) in enumerate(records)
    ]
    tables = {
        "sessions": rows("sessions", *(sessions or [{}])),
        "turns": rows("turns", *(turns or SPOKEN)),
        "events": rows("events"),
        "proposals": rows("proposals", *proposals),
        "gate_turns": rows("gate_turns", *(gate_turns or [{}])),
        "candidates": rows("candidates", *candidates),
        "labels": rows("labels", *labels),
        "links": rows("links"),
    }
    people = tables["sessions"]
    facts = reference_facts(tables["labels"], tables["candidates"], people)
    found = evaluated({**tables, "reference_facts": facts}, split).operating_points()
    return found.filter(pl.col("variant") == variant).to_dicts()


@settings(max_examples=40, deadline=None)
@given(candidate_lists, written)
def test_what_holds_for_any_study(cards, records):
    (point,) = points(cards, records)
    decided = [cards[n][0] if n < len(cards) else "unjudged" for n, _ in records]
    for column, decision in (
        ("correct_records", "accepted"),
        ("wrong_records", "rejected"),
        ("disputed_records", "disputed"),
        ("unjudged_records", "unjudged"),
    ):
        assert point[column] == decided.count(decision)
    assert point["records"] == len(records)
    assert point["reference_facts"] == [d for d, _ in cards].count("accepted")
    everything = not {"disputed", "unjudged"} & set(decided)
    if everything and point["duplicates_per_fact"] is not None:
        left = point["write_rate"] * point["precision"]
        right = point["reference_facts"] / point["assistant_turns"]
        assert left == pytest.approx(
            right * point["recall_unweighted"] * point["duplicates_per_fact"]
        )
    if point["recall"] is not None:
        assert point["recall_low"] <= point["recall"] <= point["recall_high"]


@settings(max_examples=30, deadline=None)
@given(candidate_lists, written)
def test_an_agreed_negative_nobody_wrote_changes_nothing(cards, records):
    records = [(n, place) for n, place in records if n < len(cards)]
    (before,), (after,) = points(cards, records), points([*cards, ("rejected", 0.5)], records)
    # that sentences were sampled tells what may have been missed: recall's interval may widen
    narrow, wide = ([p.pop(f"recall_ci_{e}") for e in ("low", "high")] for p in (before, after))
    if narrow != wide:  # the ends come out of a root: equal ones may differ in the last digits
        assert wide[0] - 1e-9 <= narrow[0] <= narrow[1] <= wide[1] + 1e-9
    assert before == after


# denominators


def test_only_sessions_that_a_recorded_gate_covered_count():
    sessions = [{}, {"session_id": "s2"}]
    turns = [*SPOKEN, *talk("Hi", "Yes?", "Bye", "Bye.", session_id="s2")]
    ran = [{"basis": "recorded", "session_id": "s2"}]
    (point,) = points([("accepted", 1.0)], [(0, 0)], sessions=sessions, turns=turns, gate_turns=ran)
    assert (point["assistant_turns"], point["reference_facts"], point["records"]) == (2, 0, 0)


def test_a_dispute_in_a_session_that_the_gate_never_saw_is_not_in_its_band():
    sessions = [{}, {"session_id": "s2"}]
    turns = [*SPOKEN, *talk("Hi", "Yes?", session_id="s2")]
    cards = [("accepted", 1.0), ("disputed", 1.0, "s2"), ("accepted", 1.0, "s2")]
    ran = [{"basis": "recorded"}]
    (point,) = points(cards, [(0, 0)], sessions=sessions, turns=turns, gate_turns=ran)
    assert (point["recall"], point["recall_low"], point["reference_facts"]) == (1, 1, 1)


def test_hidden_turns_and_other_partners_are_no_denominator(capsys):
    turns = [*SPOKEN, *talk("Hi", "Yes?", session_id="s2")]
    turns[1] = {**turns[1], "hidden": True}
    sessions = [{}, {"session_id": "s2", "partner": "person"}]
    ran = [{}, {"session_id": "s2"}]
    (point,) = points([], [], sessions=sessions, turns=turns, gate_turns=ran)
    assert (point["partner"], point["assistant_turns"]) == ("assistant", TURNS - 1)
    assert "left out 1 session with another partner than 'assistant'" in capsys.readouterr().err


def test_rows_of_sessions_that_the_study_does_not_have_are_left_out_aloud(capsys):
    ran = [{}, {"session_id": "nobody"}]
    (point,) = points([("accepted", 1.0)], [(0, 0)], gate_turns=ran)
    assert point["records"] == 1
    said = "1 rows of gate_turns are of sessions the study does not have: left out"
    assert said in capsys.readouterr().err


def test_a_session_in_which_no_user_speaks_counts_for_a_replay_of_ours():
    silent = row("turns", session_id="s2", turn=0, role="assistant", text="Hello?")
    sessions = [{}, {"session_id": "s2"}]
    (point,) = points([], [], sessions=sessions, turns=[*SPOKEN, silent])
    assert point["assistant_turns"] == TURNS + 1


def test_latency_is_of_the_runs_on_the_path_failures_included():
    def latency(*runs):
        ran = [{"turn": 2 * n, "latency_ms": ms, **more} for n, (ms, more) in enumerate(runs)]
        (point,) = points([], [], gate_turns=ran)
        why = {one["column"]: one["reason"] for one in point["reasons"]}
        return point["latency_p50_ms"], point["latency_p95_ms"], why.get("latency_p50_ms")

    on, off = {}, {"on_path": False}
    assert latency((1.0, on), (9.0, {"failure": "boom"}), (5.0, off)) == (1.0, 9.0, None)
    assert latency((1.0, off), (3.0, off)) == (1.0, 3.0, "off the path: all runs")
    assert latency((None, on)) == (None, None, "no latency was recorded")


def test_the_cost_is_null_when_any_is():
    def cost(*costs):
        (point,) = points([], [], gate_turns=[{"turn": n, "cost": c} for n, c in enumerate(costs)])
        return point["cost_per_1000_turns"]

    assert cost(0.5, 0.5) == 1000 / TURNS
    assert cost(0.5, None) is None


def test_the_share_of_users_with_a_wrong_record():
    sessions = [{}, {"session_id": "s2", "user_id": DEV_USER}]
    ran = [{}, {"session_id": "s2"}]
    (point,) = points([("rejected", 1.0)], [(0, 0), (0, 1)], sessions=sessions, gate_turns=ran)
    assert point["users_with_wrong_share"] == 0.5


def test_settings_of_a_gate_stay_apart_and_kinds_of_basis_are_named():
    ran = [{"setting": "b"}, {"setting": "a"}, {"setting": "a", "turn": 2, "basis": "recorded"}]
    found = points([], [], gate_turns=ran)
    assert [(p["setting"], p["basis"]) for p in found] == [("a", "mixed"), ("b", "live")]


def test_the_printed_table_has_whole_names_counts_of_facts_and_failures(data):
    write_golden()
    name = "a_module_of_mine:the_second_gate"
    save(gate_turns=[*read("study", "gate_turns").to_dicts(), {"gate": name, "failure": "no"}])
    main(["reference", "--study", "study"])
    lines = [line.split() for line in score("study").text.splitlines()]
    (heads,) = (line for line in lines if line[:2] == ["gate", "records"])
    failed = next(line for line in lines if line[:1] == [f"{name}/default"] and "0/4" in line)
    assert failed[-2] == "–", "no run has a latency"
    assert (heads[-1], failed[-1]) == ("failures", "1")
    golden = next(line for line in lines if line[:1] == ["x/default"] and "2/4" in line)
    assert "2/4" in golden  # a stated and an oblique one of four


def test_the_printed_table_says_whose_intervals_they_are(data):
    write_golden()
    make_reference("study")
    assert "intervals by session (docs" in score("study").text  # of a single user
    assert "no 95 % interval for wrong records per 1,000 turns of" in score("study").text
    save(sessions=[{"user_id": name, "session_id": name} for name in ("s1", "s2")])
    assert "intervals by user (docs" in score("study", split="all").text


def test_recall_by_form_is_of_the_part_that_is_reported(data):
    write_golden()
    forms = [
        row("labels", candidate_id=name, question="evidence_form", answer=form, annotator="a0")
        for name, form in (("f1", "stated"), ("f2", "oblique"), ("f3", "oblique"))
    ]
    save(labels=[*read("study", "labels").to_dicts(), *forms])
    main(["reference", "--study", "study"])
    score("study")
    table = read("study", "recall_by_form").filter(pl.col("gate") == "x")
    found = {
        r["evidence_form"]: (r["captured_facts"], r["reference_facts"]) for r in table.to_dicts()
    }
    assert found == {"stated": (1, 1), "oblique": (1, 2), "not agreed": (0, 1)}


def test_the_command_says_what_it_read_and_wrote(data, capsys):
    write_golden()
    main(["reference", "--study", "study"])
    capsys.readouterr()
    assert main(["score", "--study", "study", "--json"]) == 0
    found = one_object(capsys.readouterr().out)
    # three gates: one form, four checks, a point each; in seven variants
    assert found["wrote"] == {
        **{"captures": 10, "recall_by_form": 3, "store_check": 12, "curve": 3},
        "operating_points": 21,
    }
    assert found["split"] == "test"


def test_what_nobody_labelled_yet_has_a_write_rate_and_reasons_for_the_rest(data):
    write_golden()
    for name in ("candidates", "labels"):
        (data / "study" / f"{name}.parquet").unlink()
    done = score("study")
    (point,) = (row for row in done.details["points"] if row["gate"] == "x")
    assert point["write_rate"] > 0
    reasons = {one["column"]: one["reason"] for one in point["reasons"]}
    assert (reasons["precision"], reasons["recall"]) == ("no judged records", "no reference facts")
    assert "no recall of silent/default, x/default" in done.text
    assert "no wrong records per 1,000 turns of " in done.text
    assert done.then.startswith("gates pool")


@pytest.mark.parametrize(
    ("table", "damage", "told"),
    [
        ("turns", lambda t: pl.concat([t, t]), "against primary_key"),
        ("reference_facts", lambda t: pl.concat([t, t]), "against primary_key"),
        (
            "candidates",
            lambda t: t.with_columns(inclusion_probability=pl.lit(float("nan"))),
            "against inclusion_probability|nan",
        ),
        ("gate_turns", lambda t: t.with_columns(cost=pl.lit(float("inf"))), "against cost|inf"),
        ("reference_facts", lambda t: t.with_columns(weight=pl.lit(-1.0)), "against weight|"),
        ("reference_facts", lambda t: t.with_columns(weight=pl.lit(1e300)), "against weight|"),
        (
            "candidates",
            lambda t: t.with_columns(inclusion_probability=pl.lit(1e-300)),
            "against inclusion_probability|min",
        ),
    ],
)
def test_rows_that_cannot_be_counted_are_refused_before_anything_is_written(
    data, table, damage, told
):
    write_golden()
    main(["reference", "--study", "study"])
    path = data / "study" / f"{table}.parquet"
    known = pl.read_parquet_metadata(path)
    damage(pl.read_parquet(path)).write_parquet(path, metadata=known)
    before = files(data)
    with pytest.raises(InputError, match="cannot be counted") as refused:
        score("study")
    assert told in str(refused.value)
    assert files(data) == before


def test_a_scoring_that_fails_is_not_counted(data):
    with pytest.raises(InputError):
        score("study")
    assert not (data / "study" / "test-scorings.json").exists()


def test_records_in_doubt_are_counted_and_said(data, capsys):
    made = study(
        [{"decision": "accepted", "statement": "The warehouse is BigQuery now", "turn": 2}],
        [{"card": None, "statement": "Warehouse is BigQuery now", "turn": 4, "gate": "vague"}],
    )
    for name, table in made.items():
        write("study", name, table)
    done = score("study", split="all")
    assert done.details["in_doubt"] == {"vague/default": 1}
    assert "Records in doubt count nowhere until a person decides the pair" in done.text
