"""Counts and ratios: the golden study, the chapters' figures, and what must hold for any study."""

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.measures import operating_point, recall_by_form

GOLDEN = Path(__file__).parents[1] / "golden"
STUDY = json.loads((GOLDEN / "study.json").read_text(encoding="utf-8"))
CHAPTERS = json.loads((GOLDEN / "chapters.json").read_text(encoding="utf-8"))
STATUSES = ("correct", "wrong", "disputed", "unjudged")


def records(rows):
    return [dict(zip(("proposal_id", "status", "fact_id"), row, strict=True)) for row in rows]


@pytest.mark.parametrize("gate", STUDY["gates"])
def test_golden_study(gate):
    case = STUDY["gates"][gate]
    point = operating_point(
        STUDY["reference_facts"],
        records(case["records"]),
        assistant_turns=STUDY["assistant_turns"],
        disputed=STUDY["disputed"],
    )
    expected = {column: value for column, value in case["expect"].items() if column != "identity"}
    found = {column: getattr(point, column) for column in expected}
    assert found == pytest.approx(expected, abs=1e-9)
    assert all(column in point.reasons for column, value in expected.items() if value is None)


def counted(turns, right, wrong, fact_count=1, captured=1):
    """A gate with so many right and wrong records on so many turns, over `captured` facts."""
    facts = [{"fact_id": f"f{i}", "weight": 1} for i in range(fact_count)]
    rows = [(f"r{i}", "correct", f"f{i % max(captured, 1)}") for i in range(right)]
    rows += [(f"w{i}", "wrong", None) for i in range(wrong)]
    return operating_point(facts, records(rows), assistant_turns=turns)


@pytest.mark.parametrize("row", CHAPTERS["gate_table"]["rows"], ids=lambda row: row["setting"])
def test_wrong_per_1000_turns_is_what_the_chapter_prints(row):
    # 100,000 turns make the printed rates whole numbers of records
    written = round(row["write_rate"] * 100_000)
    right = round(written * row["precision"])
    point = counted(100_000, right, written - right)
    assert point.write_rate == pytest.approx(row["write_rate"])
    digits = 0 if row["wrong_per_1000_turns_printed"] >= 10 else 1
    assert round(point.wrong_per_1000_turns, digits) == row["wrong_per_1000_turns_printed"]


def test_the_button_of_the_chapter():
    # 24 records on 6,100 turns, 23 right: 1000 x 24/6100 x 1/24 = 0.164 wrong; 23/410 = 0.06
    table = CHAPTERS["gate_table"]
    point = counted(table["turns"], 23, 1, fact_count=table["reference_facts"], captured=23)
    derived = table["derived"]
    assert point.wrong_per_1000_turns == pytest.approx(
        derived["wrong_per_1000_turns_from_1_of_24"], abs=5e-4
    )
    recalls = derived["recalls_inferred_from_23_of_410_and_the_gaps"]
    assert point.recall == pytest.approx(recalls["explicit"], abs=5e-3)


def test_records_per_fact_of_the_chapter():
    # right records / captured facts, from the printed rates and the inferred recalls
    table = CHAPTERS["gate_table"]
    derived = table["derived"]
    names = ("worth", "durable", "heuristic", "explicit")
    for name, row in zip(names, table["rows"], strict=False):
        right = row["write_rate"] * table["turns"] * row["precision"]
        facts = derived["recalls_inferred_from_23_of_410_and_the_gaps"][name]
        facts *= table["reference_facts"]
        point = counted(
            table["turns"], round(right), 0, table["reference_facts"], captured=round(facts)
        )
        assert point.duplicates_per_fact == pytest.approx(
            derived["records_per_fact"][name], abs=0.06
        )


def test_the_first_step_cuts_wrong_records_by_two_thirds():
    worth, durable = (
        counted(100_000, round(w * 1e5 * p), round(w * 1e5 * (1 - p))).wrong_per_1000_turns
        for w, p in ((0.31, 0.62), (0.18, 0.79))
    )
    cut = CHAPTERS["gate_table"]["derived"]["wrong_cut_worth_to_durable"]
    assert 1 - durable / worth == pytest.approx(cut, abs=5e-4)


def test_a_reference_against_itself_scores_1():
    facts = [{"fact_id": f"f{i}", "weight": 1 + i} for i in range(5)]
    rows = records([(f"r{i}", "correct", f"f{i}") for i in range(5)])
    point = operating_point(facts, rows, assistant_turns=5)
    assert (point.precision, point.recall, point.fact_precision) == (1, 1, 1)


facts_and_records = st.tuples(
    st.lists(st.integers(1, 9) | st.none(), max_size=6),
    st.lists(st.tuples(st.sampled_from(STATUSES), st.integers(0, 7)), max_size=12),
)


@given(facts_and_records, st.integers(0, 30), st.randoms())
def test_what_holds_for_any_study(study, turns, random):
    weights, drawn = study
    facts = [{"fact_id": f"f{i}", "weight": w} for i, w in enumerate(weights)]
    rows = []
    for i, (status, number) in enumerate(drawn):
        if status == "correct" and number >= len(facts):
            continue
        fact = f"{'f' if status == 'correct' else 'd'}{number}"
        rows.append((f"r{i}", status, fact if status in ("correct", "disputed") else None))
    doubts = [{"fact_id": f"d{i}", "weight": 2} for i in range(8)]
    point = operating_point(facts, records(rows), assistant_turns=turns, disputed=doubts)
    shuffled = list(rows)
    random.shuffle(shuffled)
    again = operating_point(facts, records(shuffled), assistant_turns=turns, disputed=doubts)
    assert point == again
    for column, value in vars(point).items():
        assert value is not None or column in point.reasons
    if point.precision is not None:
        assert point.precision_outer_low <= point.precision_label_low <= point.precision
        assert point.precision <= point.precision_label_high <= point.precision_outer_high
    if point.recall is not None:
        assert point.recall_low <= point.recall <= point.recall_high or not point.reference_weight
    if (
        turns
        and point.duplicates_per_fact
        and not (point.disputed_records + point.unjudged_records)
    ):
        left = point.write_rate * point.precision
        right = point.reference_facts / turns
        right *= point.recall_unweighted * point.duplicates_per_fact
        assert left == pytest.approx(right)


def test_rows_may_be_frames():
    facts = [{"fact_id": "f0", "weight": 2.0}, {"fact_id": "f1", "weight": None}]
    rows = records([("r0", "wrong", None), ("r1", "correct", "f1")])
    frames = pl.DataFrame(facts), pl.DataFrame(rows)
    assert operating_point(facts, rows, assistant_turns=9) == operating_point(
        *frames, assistant_turns=9
    )


def test_a_negative_denominator_is_refused():
    with pytest.raises(ValueError, match="expected 0 or more"):
        operating_point([], [], assistant_turns=-1)


def test_writing_turns_are_counted_once():
    rows = [
        {"proposal_id": p, "status": "wrong", "fact_id": None, "session_id": "s", "turn": t}
        for p, t in (("a", 0), ("b", 0), ("c", 2))
    ]
    assert operating_point([], rows, assistant_turns=4).writing_turn_share == 0.5


def test_recall_by_form_names_what_nobody_agreed_on():
    facts = pl.DataFrame({"fact_id": ["a", "b", "c"], "evidence_form": ["stated", "oblique", None]})
    table = recall_by_form(facts, ["a"])
    assert table.rows() == [
        ("not agreed", 1, 0, 0.0),
        ("oblique", 1, 0, 0.0),
        ("stated", 1, 1, 1.0),
    ]
