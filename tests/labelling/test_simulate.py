"""A world with known truth: what it says of itself holds in its tables."""

import json
import re
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.about import about
from analysis.captions import caption
from analysis.cli import main
from labelling.simulate import ANNOTATORS, Annotator, GateModel, World, chapter_gates, simulate
from labelling.simulate.study import TABLES, made
from labelling.tables import SIMULATED, InputError, check, exists, metadata, read, simulated
from labelling.tables.decisions import decisions
from labelling.transcripts.sentences import sentences
from tests.documents import ROOT
from tests.studies import files, one_object, own_data, save, talk  # noqa: F401
from tests.test_faults import Disk

CHAPTER = json.loads((ROOT / "tests/golden/chapters.json").read_text(encoding="utf-8"))
TABLE = CHAPTER["gate_table"]
TIMES = 16
"""How much larger than the chapter's the world is in which expectations are looked at."""

SURE = tuple(Annotator(name, miss=0, slip=0) for name in "ab")
ORACLE = GateModel("oracle", "x", hits=dict.fromkeys(("stated", "oblique", "multi_turn"), 1.0))


def tables(world=None, seed=7, annotators=ANNOTATORS, gates=None):
    there = world or World(sessions=40)
    return dict(made(there, seed, annotators, gates or chapter_gates(there)))


@pytest.fixture(scope="module")
def large():
    """The chapter's world, many times: its tables, and its records with what was decided."""
    found = tables(World(sessions=TIMES * 500))
    return found | {"records": decided(found).filter(pl.col("verdict") == "admit")}


def decided(found):
    answers = decisions(found["labels"], found["candidates"])
    ids = found["candidates"].select("candidate_id", proposal_id="proposal_ids")
    return (
        found["proposals"]
        .join(ids.explode("proposal_id").drop_nulls(), on="proposal_id")
        .join(answers, on="candidate_id")
    )


def accepted(rows):
    return rows.filter(pl.col("decision") == "accepted")


# the chapter, in expectation


def test_the_world_has_the_chapter_s_size(large):
    answers = decisions(large["labels"], large["candidates"])["decision"]
    turns = large["turns"].filter(pl.col("role") == "assistant").height
    assert turns / TIMES == pytest.approx(TABLE["turns"], rel=0.02)
    assert (answers == "accepted").sum() / TIMES == pytest.approx(
        TABLE["reference_facts"], rel=0.05
    )
    assert (answers == "disputed").sum() / TIMES == pytest.approx(TABLE["disagreements"], rel=0.1)
    forms = accepted(facts_of(large))["evidence_form"]
    hard = (forms != "stated").sum() / TIMES
    assert hard == pytest.approx(TABLE["oblique_or_multi_turn_facts"], rel=0.1)


def facts_of(found):
    answers = decisions(found["labels"], found["candidates"])
    facts = found["truth"].filter(pl.col("trap").is_null())
    return facts.join(answers, left_on="fact_id", right_on="candidate_id")


RECALLS = dict(
    zip(
        ("worth remembering", "durable", "34 patterns", "button"),
        TABLE["derived"]["recalls_inferred_from_23_of_410_and_the_gaps"].values(),
        strict=True,
    )
)
RECORDS_PER_FACT = dict(zip(RECALLS, TABLE["derived"]["records_per_fact"].values(), strict=True))


@pytest.mark.parametrize("printed", TABLE["rows"], ids=lambda row: row["setting"])
def test_the_gates_have_the_chapter_s_figures(large, printed):
    setting = printed["setting"]
    records = large["records"].filter(pl.col("setting") == setting)
    turns = large["turns"].filter(pl.col("role") == "assistant").height
    right = accepted(records)
    judged = records.filter(pl.col("decision").is_in(["accepted", "rejected"]))
    assert records.height / turns == pytest.approx(printed["write_rate"], rel=0.06)
    assert right.height / judged.height == pytest.approx(printed["precision"], abs=0.015)
    if setting in RECALLS:
        found = right["candidate_id"].n_unique()
        recall = found / accepted(facts_of(large)).height
        assert recall == pytest.approx(RECALLS[setting], abs=0.015)
        assert right.height / found == pytest.approx(RECORDS_PER_FACT[setting], rel=0.06)


def test_the_heuristic_gate_finds_4_of_118_hard_facts(large):
    hard = accepted(facts_of(large)).filter(pl.col("evidence_form") != "stated")
    mine = large["records"].filter(pl.col("gate") == "heuristic")["candidate_id"]
    found = hard["fact_id"].is_in(mine.implode()).sum()
    assert found / hard.height == pytest.approx(4 / 118, abs=0.012)


def test_a_confirmation_is_asked_once_a_session_on_6_1_percent_of_turns(large):
    offered = large["events"].filter(pl.col("event") == "confirmation_offered")
    turns = large["turns"].filter(pl.col("role") == "assistant").height
    assert offered.height / turns == pytest.approx(0.061, rel=0.03)
    assert not offered["session_id"].is_duplicated().any()


def test_a_button_s_records_are_presses(large):
    pressed = large["events"].filter(pl.col("event") == "remember_pressed")
    button = large["records"].filter(pl.col("gate") == "explicit")
    place = ["session_id", "turn", "statement"]
    assert button.join(pressed, on=place, how="anti").is_empty()
    assert pressed.join(button, on=place, how="anti").is_empty()


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("trap", [None, "situational"])
def test_thresholds_move_the_rates_as_stated(large, threshold, trap):
    model = chapter_gates(World())[0]
    claims = large["truth"].filter(
        pl.col("trap").eq_missing(trap), ~pl.col("ambiguous"), pl.col("evidence_form") == "stated"
    )
    mine = large["proposals"].filter(
        pl.col("setting") == model.setting, pl.col("score") >= threshold
    )
    place = ["session_id", "statement"]
    share = claims.join(mine, on=place, how="semi").height / claims.height
    own = model.false_alarms[trap] if trap else model.hits["stated"]
    assert share == pytest.approx(model.chance_at(threshold, own, trap=bool(trap)), abs=0.025)


@pytest.mark.parametrize(("alike", "both"), [(0.0, 0.25), (0.9, 0.400)])
def test_gates_find_the_same_facts_as_far_as_they_are_alike(alike, both):
    """Both of two draws with correlation r = 0.9^2 are below their medians with probability
    1/4 + asin(r) / (2 pi) = 0.400; with r = 0 in a quarter of the cases."""
    half = dict.fromkeys(ORACLE.hits, 0.5)
    gates = [replace(ORACLE, gate=name, hits=half, alike=alike) for name in "ab"]
    found = tables(World(sessions=4000), gates=gates)
    one, other = (found["proposals"].filter(pl.col("gate") == name) for name in "ab")
    facts = found["truth"].filter(pl.col("trap").is_null()).height
    assert one.height / facts == pytest.approx(0.5, abs=0.03)
    shared = one.join(other, on=["session_id", "statement"], how="semi").height
    assert shared / facts == pytest.approx(both, abs=0.03)


def test_latencies_have_the_stated_quantiles(large):
    model = chapter_gates(World())[0]
    runs = large["gate_turns"].filter(pl.col("setting") == model.setting)["latency_ms"]
    assert runs.median() == pytest.approx(model.latency_p50_ms, rel=0.03)
    assert runs.quantile(0.95) == pytest.approx(model.latency_p95_ms, rel=0.03)


# the truth


def words(found, row):
    """The words of the transcripts that a row's evidence stands for."""
    texts = {(s, t): x for s, t, x in found["turns"].select("session_id", "turn", "text").rows()}
    pieces = (texts[row["session_id"], e["turn"]][e["start"] : e["end"]] for e in row["evidence"])
    return " … ".join(pieces)


def test_evidence_is_verbatim_whole_sentences_of_who_said_it():
    found = tables()
    roles = {(s, t): r for s, t, r in found["turns"].select("session_id", "turn", "role").rows()}
    for row in found["truth"].iter_rows(named=True):
        assert {roles[row["session_id"], e["turn"]] for e in row["evidence"]} == {row["speaker"]}
        assert len(row["evidence"]) == 1 + (row["evidence_form"] == "multi_turn")
    for row in [*found["proposals"].to_dicts(), *found["candidates"].to_dicts()]:
        assert row["quote"] == words(found, row)
        pieces = row["quote"].split(" … ")
        assert all(sentences(piece) == [(0, len(piece))] for piece in pieces)


def test_what_ends_says_when():
    found = tables()
    ending = found["truth"].filter(
        pl.col("expires_at").is_not_null(),
        pl.col("trap").is_null() | (pl.col("trap") == "situational"),
    )
    assert set(ending["trap"]) == {None, "situational"}
    for row in ending.iter_rows(named=True):
        assert f"{row['expires_at']:%Y-%m-%d}" in words(found, row)


def test_no_gate_writes_before_what_it_writes_was_said(large):
    last = pl.col("evidence").list.last().struct.field("turn")
    assert large["proposals"].filter(pl.col("turn") < last).is_empty()
    assert large["proposals"].join(large["turns"], on=["session_id", "turn"], how="anti").is_empty()


def test_restatements_keep_their_key_until_the_user_changes_the_value(large):
    facts = large["truth"].filter(pl.col("trap").is_null())
    assert facts["fact_key"].is_duplicated().any()
    changed = facts.drop_nulls("changed_by").join(
        facts, left_on="changed_by", right_on="fact_id", suffix="_new"
    )
    assert changed.height == facts["changed_by"].drop_nulls().len() > 0
    assert (changed["slot"] == changed["slot_new"]).all()
    assert (changed["value"] != changed["value_new"]).all()
    assert (changed["session_id"] < changed["session_id_new"]).all()


def test_sampled_sentences_weigh_what_they_stand_for():
    """Facts that no gate proposes are found by a draw, and their weights make up for the rest."""
    world = World(sessions=6000, read_share=0, sample_share=0.2, ambiguous_share=0)
    heuristic = chapter_gates(World())[2]
    found = tables(world, annotators=SURE, gates=[heuristic])
    answers = decisions(found["labels"], found["candidates"])
    facts = accepted(found["candidates"].join(answers, on="candidate_id"))
    captured = facts.filter(pl.col("strata").list.contains("proposed")).height
    true = found["truth"]["durable"].sum()
    weight = (1 / facts["inclusion_probability"]).sum()
    assert weight == pytest.approx(true, rel=0.04)
    assert captured / weight == pytest.approx(captured / true, rel=0.04)
    assert captured / facts.height > 1.5 * captured / true, "unweighted, the pool flatters recall"


# draws


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32), sessions=st.integers(1, 12))
def test_the_same_seed_makes_the_same_study_and_rows_that_the_schemas_take(seed, sessions):
    world = World(sessions=sessions)
    found, again = tables(world, seed), tables(world, seed)
    assert tuple(found) == TABLES
    for name, table in found.items():
        assert table.equals(again[name])
        assert check(name, table).bad.is_empty()


@settings(max_examples=5, deadline=None)
@given(seeds=st.lists(st.integers(0, 2**32), min_size=2, max_size=2, unique=True))
def test_other_seeds_make_other_studies(seeds):
    one, other = (tables(seed=seed) for seed in seeds)
    assert not any(one[name].equals(other[name]) for name in TABLES)


def test_a_further_gate_changes_nothing_else():
    gates = chapter_gates(World())
    few, more = (tables(gates=chosen) for chosen in (gates[:2], gates))
    for name in ("sessions", "turns", "truth"):
        assert few[name].equals(more[name])
    for name in ("proposals", "gate_turns"):
        mine = more[name].join(few[name], on=["gate", "setting"], how="semi")
        assert mine.equals(few[name])
    kept = ["candidate_id", "annotator", "question", "answer"]
    before = few["labels"].join(few["candidates"], on="candidate_id", how="semi")
    assert before.height
    assert before.join(more["labels"], on=kept, how="anti", nulls_equal=True).is_empty()


def test_a_gate_that_finds_nothing_is_there_with_its_runs():
    silent = GateModel("silent", "x", hits=dict.fromkeys(ORACLE.hits, 0.0))
    found = tables(gates=[silent])
    assert found["proposals"].is_empty()
    assert found["gate_turns"].height == found["turns"].height / 2


# the flow


def flow(capsys, *options):
    """A simulated study scored by the commands: its operating points by setting."""
    for command in ("simulate", "reference", "score --split all"):
        more = options if command == "simulate" else ()
        assert main([*command.split(), "--study", "world", "--json", *more]) == 0
        said = one_object(capsys.readouterr().out)
    return {point["setting"]: point for point in said["points"]}


def test_the_flow_measures_what_is_true(data, capsys):
    points = flow(capsys, "--sessions", "500", "--seed", "7")
    assert simulated("world")
    truth = read("world", "truth").select("fact_id", "durable", "trap")
    candidates = read("world", "candidates").explode("proposal_ids")
    claims = candidates.select(fact_id="candidate_id", proposal_id="proposal_ids")
    records = read("world", "proposals").filter(pl.col("verdict") == "admit")
    written = records.join(claims, on="proposal_id").join(truth, on="fact_id")
    for setting, point in points.items():
        mine = written.filter(pl.col("setting") == setting)
        found = mine.filter("durable")["fact_id"].n_unique()
        assert point["records"] == mine.height
        assert point["unjudged_records"] == 0
        assert point["precision"] == pytest.approx(mine["durable"].mean(), abs=0.04)
        assert point["recall"] == pytest.approx(found / truth["durable"].sum(), abs=0.02)
    points = read("world", "operating_points")
    assert "simulated world" in caption(points, about("world", points))


def test_sure_annotators_and_a_gate_that_knows_score_one(data, capsys):
    world = World(sessions=60, ambiguous_share=0)
    simulate("world", world, annotators=SURE, gates=[ORACLE])
    main(["reference", "--study", "world"])
    capsys.readouterr()
    main(["score", "--split", "all", "--study", "world", "--json"])
    (point,) = one_object(capsys.readouterr().out)["points"]
    assert (point["precision"], point["recall"], point["disputed_records"]) == (1, 1, 0)
    assert point["reference_facts"] == read("world", "truth")["durable"].sum() > 0


def test_everything_says_that_it_is_simulated(data, capsys):
    assert main(["simulate", "--sessions", "3", "--study", "world"]) == 0
    assert "simulated world" in capsys.readouterr().out
    assert set(read("world", "sessions")["source_format"]) == {"simulated"}
    assert all("simulated world" in metadata("world", name)[SIMULATED] for name in TABLES)
    assert main(["doctor", "--study", "world", "--json"]) == 0
    findings = one_object(capsys.readouterr().out)["findings"]
    assert [f["well"] for f in findings if f["what"].startswith("study world")] == [True]


def test_a_real_study_is_left_alone(data, capsys):
    save(turns=talk("I use value 3."))
    before = files(data)
    assert main(["simulate", "--study", "study"]) == 1
    assert "holds turns that are not simulated; expected" in capsys.readouterr().err
    assert files(data) == before


@pytest.mark.parametrize("room", [0, 3])
def test_a_full_disk_leaves_whole_files_and_the_command_mends_it(data, capsys, monkeypatch, room):
    command = ["simulate", "--sessions", "5", "--study", "world", "--seed"]
    assert main([*command, "1"]) == 0
    with monkeypatch.context() as patch:
        Disk(patch).room = room
        assert main([*command, "2"]) == 1
    assert "could not be written (No space left on device)" in capsys.readouterr().err
    assert not [path for path in files(data) if path.endswith(".part")]
    assert main([*command, "2"]) == 0
    assert read("world", "labels").equals(tables(World(sessions=5), 2)["labels"])


def test_a_simulated_study_is_replaced(data):
    for seed in ("1", "2", "1"):
        assert main(["simulate", "--sessions", "5", "--seed", seed, "--study", "world"]) == 0
    assert read("world", "turns").equals(tables(World(sessions=5), 1)["turns"])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--sessions", "0"), "sessions is 0; expected 1 to 10,000,000"),
        (("--turns", "1.5"), "turns_per_session is 1.5; expected 2 to 10,000,000"),
        (("--turns", "nan"), "turns_per_session is nan; expected 2 to 10,000,000"),
        (("--seed", "-1"), "--seed is -1; expected a whole number from 0"),
    ],
)
def test_a_world_that_cannot_be(data, capsys, options, sentence):
    assert main(["simulate", *options]) == 1
    assert sentence in capsys.readouterr().err
    assert not exists("simulated", "turns")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"hits": {"stated": 1.2}}, "stated of gate oracle (x) is 1.2; expected from 0 to 1"),
        ({"false_alarms": {"other": -0.1}}, "other of gate oracle (x) is -0.1"),
        ({"records_per_fact": 0.5}, "less than a record of what it writes"),
    ],
)
def test_a_gate_that_cannot_be(changes, sentence):
    with pytest.raises(InputError, match=re.escape(sentence)):
        replace(ORACLE, **changes)


def test_a_world_without_a_kind_of_trap_has_no_gate_that_falls_for_it():
    with pytest.raises(InputError, match="third_person of gate model"):
        chapter_gates(World(third_person_per_turn=0))
