"""Plans: sizes by hand, widths against the methods in use, what they react to, what is refused."""

from dataclasses import replace
from math import sqrt

import pytest
from scipy.stats import norm
from scipy.stats import t as student

from labelling.plan import (
    Assumptions,
    DesignEffects,
    GateFigures,
    observed,
    plan,
    row,
    supposed,
    told,
)
from labelling.plan.draws import studies
from labelling.plan.observed import rate_effect, share_effect
from labelling.plan.widths import size
from labelling.statistics import wilson
from labelling.tables import SIMULATED, InputError, frame, read, write
from tests.studies import own_data, save  # noqa: F401

INDEPENDENT = DesignEffects(1.0, 1.0, 1.0)
FEW = {"draws": 60}


def test_the_chapter_s_study_by_hand():
    found = size(Assumptions(), 500)
    # 6,100 turns; 1,098 records and 39 % of 410 facts to label, twice, 40 seconds each
    assert found == {
        "sessions": 500,
        "users": 100,
        "assistant_turns": 6100,
        "records": 1098,
        "reference_facts": 410,
        "candidates": 1258,
        "answers": 2516,
        "hours": 28.0,
    }


def test_two_gates_share_the_facts_that_both_find():
    given = Assumptions(gate=GateFigures(0.2, 0.8, 0.6), other=GateFigures(0.1, 0.8, 0.4))
    # .3 records a turn less the 40 % of facts in both; 40 % of facts in neither
    assert given.to_label == pytest.approx(0.3 - 0.4 * given.base_rate + 0.4 * given.base_rate)


@pytest.mark.parametrize(("annotators", "disputed"), [(2, 0.1), (3, 0.15), (4, 0.175)])
def test_more_annotators_are_of_one_mind_less_often(annotators, disputed):
    assert Assumptions(disputed_share=0.1, annotators=annotators).disputed == pytest.approx(
        disputed
    )


def test_the_width_of_precision_is_that_of_wilson_on_what_two_judge():
    given = Assumptions(effects=INDEPENDENT, disputed_share=0.1)
    found = row(given, 1000, draws=200)["precision_width"]
    # 12,200 turns of 200 users make 2,196 records, 1,976 of them judged
    widened = (student.ppf(0.975, 199) / norm.ppf(0.975)) ** 2
    low, high = wilson(0.79, 0.9 * 0.18 * 12_200 / widened)
    # the variance between users is estimated, and below 1 its effect is taken for 1
    assert 0 < found / (high - low) - 1 < 0.05


def test_a_design_effect_widens_by_its_root():
    given = Assumptions(effects=DesignEffects(4.0, 1.0, 1.0))
    alone = row(replace(given, effects=INDEPENDENT), 1000, **FEW)
    wide = row(given, 1000, **FEW)
    # 4 % where all is independent: see above
    assert wide["precision_width"] / alone["precision_width"] == pytest.approx(2 / 1.04, rel=0.05)
    assert wide["recall_width"] == pytest.approx(alone["recall_width"], rel=0.05)


@pytest.mark.parametrize("effect", [1.0, 1.7, 3.0])
def test_drawn_users_are_as_alike_as_supposed(effect):
    given = Assumptions(effects=DesignEffects(effect, effect, effect))
    (found,) = studies(given, 20_000, 1, 5)
    (gate,) = found.written
    assert share_effect(gate.right, gate.judged) == pytest.approx(effect, rel=0.08)
    assert share_effect(gate.captured, found.certain_facts) == pytest.approx(effect, rel=0.08)
    assert rate_effect(gate.records, found.turns) == pytest.approx(effect, rel=0.08)
    totals = gate.right.sum() / gate.judged.sum(), gate.captured.sum() / found.certain_facts.sum()
    assert totals == pytest.approx((0.79, 0.61), abs=0.02)
    assert gate.records.sum() / found.turns.sum() == pytest.approx(0.18, rel=0.05)
    assert found.turns.sum() / 20_000 == pytest.approx(12.2, rel=0.02)


def test_four_times_the_sessions_halve_a_width_and_raise_the_power():
    given = Assumptions(other=GateFigures(0.06, 0.83, 0.35))
    small, large = row(given, 500, **FEW), row(given, 2000, **FEW)
    for name in ("precision", "recall", "wrong_per_1000_turns", "write_rate", "cohen_kappa"):
        assert small[f"{name}_width"] / large[f"{name}_width"] == pytest.approx(2, rel=0.15)
    assert small["precision_power"] + 0.2 < large["precision_power"]


def test_the_power_is_that_of_the_textbook_where_that_holds():
    given = Assumptions(gate=GateFigures(0.18, 0.79, 0.61), other=GateFigures(0.18, 0.85, 0.61))
    given = replace(given, effects=INDEPENDENT)
    n = 500 * 12.2 * 0.18 * (1 - given.disputed)
    error = sqrt((0.79 * 0.21 + 0.85 * 0.15) / n)
    expected = norm.cdf(0.06 / error - norm.ppf(0.975))
    assert row(given, 500, draws=400)["precision_power"] == pytest.approx(expected, abs=0.08)


def test_facts_that_only_a_sample_finds_widen_recall():
    given = Assumptions()
    sampled = replace(given, certain_share=0.7, sample_share=0.1)
    assert row(sampled, 500, **FEW)["recall_width"] > 1.3 * row(given, 500, **FEW)["recall_width"]


def test_a_gate_that_hardly_writes_has_no_width():
    given = Assumptions(gate=GateFigures(0.0005, 0.97, 0.01), effects=INDEPENDENT)
    assert row(given, 60, **FEW)["precision_width"] is None
    assert "- wide for precision" in plan(given, [60], supposed="stated").did


def test_the_sentence_names_the_first_size_that_is_enough():
    said = plan(Assumptions(), [60, 1000, 2000], supposed="stated", width=0.12)
    assert said.did.startswith("1,000 sessions are enough for intervals 0.12 wide")
    assert said.details["enough"] == 1000
    assert [one["sessions"] for one in said.details["rows"]] == [60, 1000, 2000]
    assert len(said.text.splitlines()) == 5 + 2
    never = plan(Assumptions(), [60], supposed="stated", width=0.01)
    assert never.did.startswith("not even 60 sessions")
    assert never.details["enough"] is None


def test_the_same_seed_makes_the_same_plan():
    given = Assumptions(other=GateFigures(precision=0.9))
    assert row(given, 60, **FEW) == row(given, 60, **FEW)
    assert row(given, 60, **FEW) != row(given, 60, seed=8, **FEW)


REFUSED = {
    "precision is 1.2; expected from 0 to 1": lambda: GateFigures(precision=1.2),
    "write_rate is 0; expected from": lambda: GateFigures(write_rate=0),
    "annotators is 1; expected from 2 to 20": lambda: Assumptions(annotators=1),
    "design effect of recall is 0.5; expected from 1": lambda: DesignEffects(recall=0.5),
    "recall is 0.61 where 0.5 of the facts": lambda: Assumptions(certain_share=0.5),
    "turns_per_session is nan; expected from 1": lambda: Assumptions(
        turns_per_session=float("nan")
    ),
    "--sessions is 1; expected 2 to 20,000": lambda: plan(Assumptions(), [1], supposed=""),
    "--width is 0; expected between 0 and 1": lambda: plan(Assumptions(), supposed="", width=0),
    "the design effect of precision is 90 where a user has about": lambda: row(
        Assumptions(effects=DesignEffects(precision=90)), 60, **FEW
    ),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_cannot_be_is_refused(sentence):
    with pytest.raises(InputError) as refused:
        REFUSED[sentence]()
    assert sentence in str(refused.value)


# from a study


NONE_JUDGED = [{"column": "precision", "reason": "no judged records"}]


def judged(gate, right, wrong):
    """A gate's records on as many users, a session each: proposals and their captures."""
    proposals, captures = [], []
    for n in range(right + wrong):
        name = f"{gate}{n}"
        about = {"proposal_id": name, "gate": gate, "setting": "default"}
        proposals.append({**about, "session_id": f"s{n}", "turn": 0})
        status, fact = ("correct", f"f{n}") if n < right else ("wrong", None)
        how = {"claim_id": "0" * 16, "repeat": False, "how": "candidate"}
        captures.append({**about, **how, "status": status, "fact_id": fact})
    return proposals, captures


def point(gate, **figures):
    none = {"records": 0, "failures": 0, "reference_weight": 0.0, "captured_weight": 0.0}
    counts = dict.fromkeys(
        (
            *("assistant_turns", "correct_records", "wrong_records", "disputed_records"),
            *("unjudged_records", "reference_facts", "captured_facts"),
        ),
        0,
    )
    about = {"gate": gate, "setting": "default", "split": "all", "variant": "headline"}
    kinds = {"basis": "live", "reference_kind": "own", "partner": "assistant", "reasons": []}
    return {**none, **counts, **about, **kinds, **figures}


@pytest.fixture
def study(data):
    first, captures = judged("first", 6, 4)
    second, more = judged("second", 8, 2)
    people = [{"session_id": f"s{n}", "user_id": f"u{n // 2}"} for n in range(10)]
    said = [("user", 0), ("assistant", 1), ("user", 2), ("assistant", 3)]
    turns = [
        {"session_id": f"s{n}", "turn": turn, "role": role, "text": "x"}
        for n in range(10)
        for role, turn in said
    ]
    save(
        sessions=people,
        turns=turns,
        proposals=first + second,
        candidates=[{"candidate_id": f"f{n}", "session_id": f"s{n}"} for n in range(10)],
        labels=[],
        reference_facts=[
            {"fact_id": f"f{n}", "session_id": f"s{n}", "weight": 1.0 if n < 8 else 4.0}
            for n in range(10)
        ],
    )
    points = [
        point("first", write_rate=0.5, precision=0.6, recall=0.4, base_rate=0.8),
        point("second", write_rate=0.5, precision=0.8, recall=0.5, base_rate=0.8),
        point("silent", write_rate=0.0, recall=0.0, base_rate=0.8, reasons=NONE_JUDGED),
    ]
    write("study", "captures", frame("captures", captures + more))
    write("study", "operating_points", frame("operating_points", points))
    return "study"


def test_a_study_says_what_the_next_may_suppose(study):
    found = observed(study, "first", "second/default")
    assert found.gate == GateFigures(0.5, 0.6, 0.4)
    assert found.other == GateFigures(0.5, 0.8, 0.5)
    assert found.turns_per_session == 2
    assert found.sessions_per_user == 2
    assert found.base_rate == 0.8
    # 8 facts of weight 1, 2 of weight 4
    assert found.certain_share == 0.5
    assert found.sample_share == 0.25
    assert found.candidates_per_turn == 0.5
    assert found.disputed_share == 0
    # users with 2, 2, 2, 0, 0 of 2 right: all of a user alike, which is cut to nine tenths
    assert found.effects.precision == pytest.approx(1.9)
    assert found.effects.write_rate == 1
    assert plan(found, [10, 50], supposed="study").details["rows"][0]["users"] == 5


def test_a_plan_says_where_it_comes_from(study):
    assert told(study, "first") == "study study, first"
    write(study, "sessions", read(study, "sessions"), notes={SIMULATED: "a simulated world"})
    assert told(study, "first") == "study study, first, a simulated world"


@pytest.mark.parametrize(
    ("gate", "sentence"),
    [
        ("silent", "says no precision of silent/default: no judged records"),
        ("none", "no settings with records under the name 'none'"),
    ],
)
def test_what_a_study_does_not_say(gate, sentence, study):
    with pytest.raises(InputError, match=sentence):
        observed(study, gate)


def test_stated_figures_go_before_those_of_a_study():
    nothing = {"precision": None, "recall": None, "write_rate": None}
    stated = {"gate": nothing, "other": nothing, "effects": None, "base_rate": None}
    known = Assumptions(base_rate=0.3, effects=INDEPENDENT)
    assert supposed(known, stated) == known
    assert supposed(None, stated) == Assumptions()
    more = stated | {"effects": 2.0, "base_rate": 0.1, "other": nothing | {"precision": 0.9}}
    assert supposed(known, more) == replace(
        known,
        base_rate=0.1,
        effects=DesignEffects(2.0, 2.0, 2.0),
        other=replace(known.gate, precision=0.9),
    )
