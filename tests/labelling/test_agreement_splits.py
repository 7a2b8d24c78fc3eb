"""What people split on: the list, the confusion of questions, the deciding ones."""

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from labelling.agreement import confusion, deciding, splits
from labelling.tables.decisions import annotator_decisions
from tests.labelling.answered import WHEN, candidates, labels

POOL = candidates(c1="proposed", c2="sampled", c3="added", c4="added")
YES = ("yes", "yes", "yes")
GIVEN = [
    ("c1", "ann", YES),
    ("c1", "bob", ("no", "yes", "yes")),  # split on durable
    ("c2", "ann", ("no", "yes", "yes")),
    ("c2", "bob", ("yes", "yes", "no")),  # neither writes it, for different reasons
    ("c3", "ann", ("yes", "no", "no")),
    ("c3", "bob", YES),  # split on two questions
    ("c4", "ann", YES),
    ("c4", "bob", YES),
]


def test_the_list_has_each_question_they_split_on_and_what_each_said():
    found = splits(labels(GIVEN), POOL)
    assert found.select("candidate_id", "question", "disputed").rows() == [
        ("c1", "write", True),
        ("c1", "durable", True),
        ("c2", "durable", False),
        ("c2", "scope_ok", False),
        ("c3", "write", True),
        ("c3", "well_evidenced", True),
        ("c3", "scope_ok", True),
    ]
    first = found.row(0, named=True)
    assert (first["session_id"], first["statement"], first["strata"]) == ("sc1", "x", ["proposed"])
    assert first["answers"] == [
        {"annotator": "ann", "answer": "yes", "at": WHEN},
        {"annotator": "bob", "answer": "no", "at": WHEN},
    ]


def test_confusion_counts_pairs_by_what_kept_each_from_writing():
    assert confusion(labels(GIVEN), POOL).rows() == [
        ("durable", "scope_ok", 1, 0.25, False),
        ("durable", "write", 1, 0.25, True),
        ("well_evidenced + scope_ok", "write", 1, 0.25, True),
        ("write", "write", 1, 0.25, False),
    ]


def test_which_question_decides():
    assert deciding(labels(GIVEN), POOL).rows() == [
        ("durable", 1, 1, 2, 0.5),
        ("well_evidenced", 1, 0, 2, 0.5),
        ("scope_ok", 1, 0, 2, 0.5),
    ]
    assert deciding(labels([]), POOL)["share"].to_list() == [None] * 3


def test_until_decides_where_no_date_is_on_show():
    given = [("c1", "ann", YES), ("c1", "bob", "until")]
    assert deciding(labels(given), POOL)["alone"].to_list() == [1, 0, 0]
    dated = POOL.with_columns(expires_at=pl.lit(WHEN))
    assert deciding(labels(given), dated)["splits"].to_list() == [0, 0, 0]
    assert splits(labels(given), dated)["question"].to_list() == ["durable"]


ANSWERS = st.tuples(st.sampled_from(["yes", "until", "no"]), *[st.sampled_from(["yes", "no"])] * 2)


@settings(max_examples=30)
@given(
    st.dictionaries(st.tuples(st.sampled_from(["c1", "c2", "c3"]), st.sampled_from("abc")), ANSWERS)
)
def test_the_three_frames_count_the_same_splits(said):
    table = labels([(c, who, answer) for (c, who), answer in said.items()])
    writes = (
        annotator_decisions(table, POOL)
        .group_by("candidate_id")
        .agg(yes=pl.col("write").sum().cast(pl.Int64), no=(~pl.col("write")).sum().cast(pl.Int64))
    )
    pairs = int((writes["yes"] * writes["no"]).sum())
    assert confusion(table, POOL).filter("split")["n"].sum() == pairs
    assert set(deciding(table, POOL)["splits"]) == {pairs}
    disputed = splits(table, POOL).filter(question="write")["candidate_id"]
    assert set(disputed) == set(writes.filter(pl.min_horizontal("yes", "no") > 0)["candidate_id"])
