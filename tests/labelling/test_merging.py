"""What makes two candidates one, whatever order they come in."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from labelling.merging import Item, merge


def item(statement="Uses BigQuery.", *, name="", **more):
    given_ = {"session_id": "s1", "turn": 0, "evidence": (), "quote": "", "strata": ("proposed",)}
    return Item(statement=statement, proposal_ids=(name,) if name else (), **{**given_, **more})


def groups(items):
    return {frozenset(merged.proposal_ids) for merged in merge(items)}


def test_equal_words_or_equal_slot_and_value_make_one():
    assert len(merge([item("Uses BigQuery."), item("uses  bigquery!")])) == 1
    slot = {"slot": "warehouse", "value": "BigQuery"}
    assert len(merge([item("A", **slot), item("B", **slot | {"value": "bigquery"})])) == 1


def test_what_keeps_two_apart():
    one = item(slot="warehouse", value="BigQuery")
    for other in (
        item("Uses BigQuery.", scope="project:x"),
        item("Uses BigQuery.", kind="fact"),
        item("Uses BigQuery.", polarity=False),
        item("Uses BigQuery.", session_id="s2"),
        item("Another", slot="warehouse", value="Snowflake"),
        item("Another", slot="warehouse"),
        item("Another", value="BigQuery"),
    ):
        assert len(merge([one, other])) == 2


def test_one_item_bridges_two():
    slot = {"slot": "warehouse", "value": "BigQuery"}
    a, b = item("Uses BigQuery.", name="a"), item("BigQuery it is.", name="b", **slot)
    bridge = item("Uses BigQuery.", name="c", **slot)
    assert groups([a, b]) == {frozenset("a"), frozenset("b")}
    (merged,) = merge([a, b, bridge])
    assert merged.statement == "Uses BigQuery."  # the first one's words
    assert (merged.slot, merged.value) == ("warehouse", "BigQuery")
    assert merged.proposal_ids == ("a", "b", "c")
    (filled,) = merge([item(slot="half"), item(**slot)])
    assert (filled.slot, filled.value) == ("warehouse", "BigQuery")


def test_two_with_ids_are_never_made_one_and_keep_what_is_theirs():
    slot = {"slot": "warehouse", "value": "BigQuery"}
    a, b = item("A", candidate_id="id-a"), item("B", candidate_id="id-b", **slot)
    bridge = item("A", name="c", **slot)
    later = item("Z", name="d", **slot)
    merged = {one.candidate_id: one for one in merge([a, b, bridge, later])}
    assert merged.keys() == {"id-a", "id-b"}
    assert merged["id-a"].proposal_ids == ("c",)
    assert merged["id-b"].proposal_ids == ("d",)


fresh = st.lists(
    st.builds(
        item,
        st.sampled_from("ABC"),
        session_id=st.sampled_from(["s1", "s2"]),
        scope=st.sampled_from([None, "global"]),
        slot=st.sampled_from([None, "s"]),
        value=st.sampled_from([None, "v", "w"]),
    ),
    max_size=9,
).map(lambda items: [replace(one, proposal_ids=(f"p{n}",)) for n, one in enumerate(items)])


@given(fresh, st.randoms())
def test_order_does_not_change_what_is_one(items, random):
    shuffled = random.sample(items, len(items))
    assert groups(shuffled) == groups(items)
    assert sum(len(group) for group in groups(items)) == len(items)


@given(fresh, fresh)
def test_what_has_its_id_stays(items, more):
    before = merge(items)
    assert merge(before) == before
    after = merge([*before, *more])
    assert [one.candidate_id for one in after[: len(before)]] == [o.candidate_id for o in before]
    assert [one.statement for one in after[: len(before)]] == [o.statement for o in before]
    assert len({one.candidate_id for one in after}) == len(after)


def test_the_probability_is_that_of_the_union_of_routes():
    sampled = {"strata": ("sampled",), "inclusion_probability": 0.1}
    read = {"strata": ("read",), "inclusion_probability": 0.5}
    assert merge([item(**sampled)])[0].inclusion_probability == 0.1
    again = item(strata=("sampled",), inclusion_probability=0.2)
    assert merge([item(**sampled), again])[0].inclusion_probability == 0.1
    (both,) = merge([item(**sampled), item(**read)])
    assert both.inclusion_probability == 1 - 0.9 * 0.5
    assert both.strata == ("sampled", "read")
    assert merge([item(**sampled), item()])[0].inclusion_probability == 1
    assert merge([both, item(**sampled)])[0].inclusion_probability == both.inclusion_probability
    unknown = item(strata=("added",), inclusion_probability=None)
    assert merge([item(**sampled), unknown])[0].inclusion_probability is None
