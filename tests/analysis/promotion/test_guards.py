"""`promote` against the chapter's cases and against the definitions written out plainly."""

import json
from dataclasses import fields, replace
from datetime import date, timedelta

import pytest
from hypothesis import given, settings

from analysis.promotion import PromotionRule, promote
from labelling.tables import SCHEMAS, InputError
from tests.analysis.promotion import plain
from tests.analysis.promotion.logs import DAYS, LOGS, RULES
from tests.documents import ROOT

GOLDEN = json.loads((ROOT / "tests/golden/chapters.json").read_text(encoding="utf-8"))[
    "observation_log"
]
SWITCHES = {field.name for field in fields(PromotionRule)}


def cases():
    """(name, rows, rule, day, claim, what is expected of it)."""
    for case in GOLDEN["expect"] + GOLDEN["explained_by_output"]["expect"]:
        wanted = {key: case[key] for key in ("promoted", "guard", "reason") if key in case}
        yield str(case), GOLDEN["rows"], _rule(case), case["as_of"], case["claim"], wanted
    rows = GOLDEN["rows"]
    for case in GOLDEN["more_logs"]:
        rows = {"as printed": GOLDEN["rows"], "as in the case before": rows}.get(
            str(case["rows"]), case["rows"]
        )
        for claim, wanted in case.get("expect", {}).items():
            yield case["name"], rows, _rule(case), case["as_of"], claim, wanted
        for day, guard in case.get("as_of_expect", {}).items():
            yield case["name"], rows, _rule(case), day, "wants_concise", {"guard": guard}
        yield from _span(case, rows)


def _span(case, rows):
    """A claim is promoted from the first to the last day, and not on the days beside them."""
    if "promoted_from" in case:
        first, last = (date.fromisoformat(case[f"promoted_{end}"]) for end in ("from", "to"))
        for day in (first - timedelta(1), first, last, last + timedelta(1)):
            wanted = {"promoted": first <= day <= last}
            yield case["name"], rows, _rule(case), day, case["claim"], wanted


def _rule(case):
    return replace(PromotionRule(), **{key: case[key] for key in SWITCHES & set(case)})


@pytest.mark.parametrize(("name", "rows", "rule", "day", "claim", "wanted"), list(cases()))
def test_the_chapters_cases_come_out(name, rows, rule, day, claim, wanted):
    table = promote(rows, rule, as_of=day)
    row = next(one for one in table.iter_rows(named=True) if one["claim"] == claim)
    assert {key: row[key] for key in wanted} == wanted, name


def test_a_claim_seen_only_in_the_future_has_no_row():
    case = next(one for one in GOLDEN["more_logs"] if one.get("expect_no_rows"))
    assert promote(case["rows"], as_of=case["as_of"]).is_empty()


@settings(max_examples=300)
@given(LOGS, RULES, DAYS)
def test_it_agrees_with_the_definitions_written_out(log, rule, day):
    table = SCHEMAS["promotions"].validate(promote(log, rule, as_of=day))
    got = {
        (row["user_id"], row["claim"]): (
            row["guard"],
            row["reason"],
            sorted((e["session"], e["turn"]) for e in row["evidence"]),
        )
        for row in table.iter_rows(named=True)
    }
    assert got == {
        owner: (guard, reason, sorted((o["session"], o["turn"]) for o in rows))
        for owner, (guard, reason, rows) in plain.promote(log, rule, day).items()
    }


@given(LOGS, RULES, DAYS)
def test_opposites_are_symmetric_and_the_counts_are_of_the_evidence(log, rule, day):
    turned = replace(rule, opposites=tuple((b, a) for a, b in rule.opposites))
    table, again = promote(log, rule, as_of=day), promote(log, turned, as_of=day)
    assert table.drop("rule").equals(again.drop("rule"))
    for row in table.iter_rows(named=True):
        assert row["n_observations"] == len(row["evidence"])
        assert row["n_sessions"] == len({one["session"] for one in row["evidence"]})
        assert row["promoted"] == (row["guard"] is None) == (row["reason"] is not None)


@pytest.mark.parametrize("day", ["5.3.2026", "yesterday", None, 20260305])
def test_a_day_that_is_none_is_refused(day):
    with pytest.raises(InputError, match="expected a day such as"):
        promote(GOLDEN["rows"], as_of=day)
