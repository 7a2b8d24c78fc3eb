"""An audit from draw to alarm: the chapter's, what is undefined, who is removed, bad lines."""

import json
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from labelling import audit, withdrawal
from labelling.audit.drawing import drawn
from labelling.audit.store import COLUMNS, read_store
from labelling.tables import InputError, named_people, read, root_folder, stale, study_folder
from tests.studies import REJECT, WRITE, own_data, save  # noqa: F401

NOW = datetime(2026, 11, 30, tzinfo=UTC)
QUESTIONS = ("durable", "well_evidenced", "scope_ok")


def stored(folder, lines, name="store.jsonl"):
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def user(number):
    return f"u{number // 25}"


def record(number, **more):
    called = {"record_id": f"r{number}", "user_id": user(number)}
    return {**called, "statement": f"Fact {number}.", **more}


def answered(folder, decisions, name, audit_name=None):
    """A file of one annotator's answers: record_id -> WRITE or REJECT."""
    named = {"audit": audit_name} if audit_name else {}
    return stored(
        folder,
        [
            {"record_id": r, "annotator": name, **named, **dict(zip(QUESTIONS, given, strict=True))}
            for r, given in decisions.items()
        ],
        f"{name}.jsonl",
    )


@pytest.fixture
def study(data):
    save(sessions=[{}], turns=[])
    return "study"


def drawn_ids(study="study"):
    return read(study, "audit_records")["record_id"].to_list()


def the_reason(row, column):
    return next(r["reason"] for r in row["reasons"] if r["column"] == column)


def test_the_chapter_s_audit_is_95_fold(study, tmp_path):
    # 200 sampled, 38 % of them wrong; 0.4 % of the store's records corrected
    lines = [record(n, corrected=n % 250 == 75) for n in range(10_000)]
    assert sum(line["corrected"] for line in lines) == 40
    audit.draw(study, file=stored(tmp_path, lines), n=200, now=NOW)
    ids = drawn_ids()
    assert len(ids) == len(set(ids)) == 200
    given = {r: REJECT if n < 76 else WRITE for n, r in enumerate(ids)}
    said = audit.score(study, [answered(tmp_path, given, name) for name in "ab"])
    (found,) = read(study, "audits").to_dicts()
    assert found["wrong_share"] == pytest.approx(0.38)
    assert found["correction_rate"] == pytest.approx(0.004)
    assert found["wrong_per_corrected"] == pytest.approx(95)
    # Wilson: (.38 + 1.92 / 200 -+ 1.96 sqrt(.2356 / 200 + .9604 / 200^2)) / (1 + 3.84 / 200)
    ends = found["wrong_share_ci_low"], found["wrong_share_ci_high"]
    assert ends == pytest.approx((0.3156, 0.4489), abs=1e-4)
    assert found["correction_rate_ci_low"] < 0.004 < found["correction_rate_ci_high"]
    assert (
        60 < found["wrong_per_corrected_ci_low"] < 95 < found["wrong_per_corrected_ci_high"] < 150
    )
    assert "38 %" in said.did
    assert "95-fold" in said.did


def test_two_answers_make_right_wrong_or_disputed_and_fewer_none(study, tmp_path):
    audit.draw(study, file=stored(tmp_path, [record(n) for n in range(10)]), now=NOW)
    ids = drawn_ids()
    first = dict(zip(ids, [WRITE] * 4 + [REJECT] * 4, strict=False))
    second = dict(zip(ids, [WRITE] * 2 + [REJECT] * 4, strict=False))
    audit.score(study, [answered(tmp_path, first, "a"), answered(tmp_path, second, "b")])
    (found,) = read(study, "audits").to_dicts()
    kinds = ("correct", "wrong", "disputed", "unjudged")
    # two right, two split, two wrong; of four only one or nobody answered
    assert [found[f"{kind}_records"] for kind in kinds] == [2, 2, 2, 4]
    assert found["wrong_share"] == 0.5
    assert (found["wrong_share_label_low"], found["wrong_share_label_high"]) == (2 / 6, 4 / 6)
    assert (found["wrong_share_outer_low"], found["wrong_share_outer_high"]) == (0.2, 0.8)
    assert found["correction_rate"] is None
    assert "does not say" in the_reason(found, "correction_rate")
    assert the_reason(found, "wrong_per_corrected") == the_reason(found, "correction_rate")


def test_without_a_correction_there_is_no_quotient_but_a_least(study, tmp_path):
    lines = [record(n, corrected=False) for n in range(1000)]
    audit.draw(study, file=stored(tmp_path, lines), n=50, now=NOW)
    given = dict.fromkeys(drawn_ids(), REJECT)
    audit.score(study, [answered(tmp_path, given, name) for name in "ab"])
    (found,) = read(study, "audits").to_dicts()
    assert found["correction_rate"] == 0
    assert found["wrong_per_corrected"] is found["wrong_per_corrected_ci_low"] is None
    # .929 of the drawn at the least, 3.69 of 1,000 corrected at the most
    assert the_reason(found, "wrong_per_corrected") == (
        "no user corrected a record; at least 252 by the ends of both intervals"
    )


def test_where_one_user_s_corrections_are_all_there_is_the_quotient_has_no_ends(study, tmp_path):
    lines = [record(n, corrected=n == 0) for n in range(8)]
    audit.draw(study, file=stored(tmp_path, lines), now=NOW)
    given = dict.fromkeys(drawn_ids(), REJECT)
    said = audit.score(study, [answered(tmp_path, given, name) for name in "ab"])
    (found,) = read(study, "audits").to_dicts()
    assert found["wrong_per_corrected"] == 8
    assert found["wrong_per_corrected_ci_low"] is None
    assert the_reason(found, "wrong_per_corrected_ci_low")
    assert said.did.endswith("users corrected 12.5 % of their records: 8-fold")


def test_answers_come_in_pieces_and_the_last_word_of_a_person_counts(study, tmp_path):
    audit.draw(study, file=stored(tmp_path, [record(0)]), now=NOW)
    audit.score(study, [answered(tmp_path, {"r0": WRITE}, "a")])
    assert read(study, "audits")["unjudged_records"].to_list() == [1]
    audit.score(study, [answered(tmp_path, {"r0": REJECT}, "b")])
    assert read(study, "audits")["disputed_records"].to_list() == [1]
    audit.score(study, [answered(tmp_path, {"r0": REJECT}, "a")])
    audit.score(study)
    assert read(study, "audits")["wrong_records"].to_list() == [1]
    assert read(study, "audit_labels").height == 6


def test_until_is_right_where_the_record_says_until_when(study, tmp_path):
    lines = [record(0, expires_at="2027-01-31"), record(1)]
    audit.draw(study, file=stored(tmp_path, lines), now=NOW)
    until = ("until", "yes", "yes")
    audit.score(study, [answered(tmp_path, {"r0": until, "r1": until}, name) for name in "ab"])
    (found,) = read(study, "audits").to_dicts()
    assert (found["correct_records"], found["wrong_records"]) == (1, 1)


def test_the_sheet_can_be_filled_in_and_says_nothing_of_what_became_of_a_record(study, tmp_path):
    lines = [record(n, corrected=True, session_id=7, turn=3, scope="global") for n in range(3)]
    audit.draw(study, file=stored(tmp_path, lines), now=NOW)
    sheet = (study_folder(study) / "audit-sheet.jsonl").read_text()
    assert "corrected" not in sheet
    assert "user" not in sheet
    blank = stored(tmp_path, map(json.loads, sheet.splitlines()), "blank.jsonl")
    with pytest.raises(InputError, match="nobody filled it in"):
        audit.score(study, [blank])
    filled = [json.loads(line) for line in sheet.splitlines()]
    filled[0] |= {"annotator": "a", **dict(zip(QUESTIONS, WRITE, strict=True))}
    assert audit.score(study, [stored(tmp_path, filled, "a.jsonl")]).details["unanswered"] == 2


# the draw


def table(numbers):
    rows = [record(n) for n in numbers]
    return pl.DataFrame(rows, schema=COLUMNS)


@given(st.sets(st.integers(0, 999), min_size=1, max_size=60), st.integers(1, 80), st.text())
def test_who_is_removed_changes_nobody_else_s_draw(numbers, n, seed):
    everybody = drawn(table(sorted(numbers)), n, seed)
    gone = everybody["user_id"][0]
    left = [number for number in numbers if user(number) != gone]
    again = set(drawn(table(left), n, seed)["record_id"]) if left else set()
    assert set(everybody.filter(pl.col("user_id") != gone)["record_id"]) <= again


@given(st.permutations(range(40)), st.text())
def test_the_order_of_the_store_has_no_say(order, seed):
    found = drawn(table(order), 10, seed)
    assert found["record_id"].to_list() == drawn(table(range(40)), 10, seed)["record_id"].to_list()
    assert found["inclusion_probability"].unique().to_list() == [0.25]


def test_every_record_is_drawn_as_often():
    seeds = 2000
    found = pl.concat(drawn(table(range(20)), 5, str(seed)) for seed in range(seeds))
    times = found["record_id"].value_counts()["count"].to_numpy()
    # 500 expected each; chi-squared of 19 degrees of freedom, .9999 quantile 50.8, times 1 - 5 / 20
    assert ((times - 500) ** 2 / 500).sum() < 50.8 * 0.75


def test_another_audit_draws_anew_and_a_seed_repeats(study, tmp_path):
    path = stored(tmp_path, [record(n) for n in range(400)])
    for name, seed in (("a", None), ("b", None), ("c", 7), ("d", 7)):
        audit.draw(study, file=path, n=20, name=name, seed=seed, now=NOW)
    made = read(study, "audit_records")
    ids = {name: set(part["record_id"]) for (name,), part in made.group_by("audit")}
    assert ids["a"] != ids["b"]
    assert ids["c"] == ids["d"]
    assert made["candidate_id"].n_unique() == 80


def test_an_audit_is_drawn_again_until_somebody_answered(study, tmp_path):
    path = stored(tmp_path, [record(n) for n in range(30)])
    for n in (20, 10):
        audit.draw(study, file=path, n=n, name="a", now=NOW)
    assert len(drawn_ids()) == 10
    audit.score(study, [answered(tmp_path, {drawn_ids()[0]: WRITE}, "ann")])
    with pytest.raises(InputError, match="has answers already"):
        audit.draw(study, file=path, name="a", now=NOW)


def test_the_records_of_a_gate_are_drawn_and_nobody_knows_their_corrections(study):
    gate = {"gate": "live", "session_id": "s1", "turn": 0}
    proposals = [{**gate, "statement": f"Fact {n}."} for n in range(6)]
    proposals.append({**gate, "statement": "Refused.", "verdict": "reject"})
    save(proposals=[*proposals, {"gate": "other", "setting": "one"}, {"gate": "other"}])
    audit.draw(study, gate="live", n=4, now=NOW)
    made = read(study, "audit_records")
    assert set(made["source"]) == {"gate:live/default"}
    assert made["inclusion_probability"].unique().to_list() == [4 / 6]
    assert "Refused." not in made["statement"].to_list()
    assert read(study, "audit_users")["known_records"].to_list() == [0]
    audit.draw(study, gate="other/one", name="other", now=NOW)
    with pytest.raises(InputError, match=r"has 2 settings .* expected one of: other/default"):
        audit.draw(study, gate="other", now=NOW)
    with pytest.raises(InputError, match=r"has no settings .* expected one of: live/default"):
        audit.draw(study, gate="none", now=NOW)


def test_a_name_is_of_one_source(study, tmp_path):
    save(proposals=[{"gate": "live"}])
    audit.draw(study, file=stored(tmp_path, [record(0)]), name="a", now=NOW)
    with pytest.raises(InputError, match="'a' of study 'study' is of store"):
        audit.draw(study, gate="live", name="a", now=NOW)


def test_a_store_begins_a_study_and_a_gate_does_not(data, tmp_path):
    path = stored(tmp_path, [record(0)])
    with pytest.raises(InputError, match="there is no study 'new'"):
        audit.draw("new", gate="live")
    with pytest.raises(InputError, match="there is no file"):
        audit.draw("new", file=tmp_path / "none.jsonl")
    assert not data.exists()
    audit.draw("new", file=path, now=NOW)
    assert drawn_ids("new") == ["r0"]


@pytest.mark.parametrize("given_", [{}, {"gate": "x", "file": "y"}])
def test_a_draw_is_from_a_file_or_a_gate(study, given_):
    with pytest.raises(InputError, match="of --from and --gate"):
        audit.draw(study, **given_)


# lines that fit nothing

BAD_RECORDS = {
    "record_id is missing": {"user_id": "u", "statement": "x"},
    "user_id is empty, expected a name or a whole number": record(1, user_id=" "),
    "statement is missing (only a record that its user deleted may lack it)": record(
        1, statement=" ", corrected=False
    ),
    "corrected is 'yes', expected true or false": record(1, corrected="yes"),
    "scope is 'everywhere', expected global or <what>:<name>": record(1, scope="everywhere"),
    "record 'r0' was there before": record(0),
    "created_at is 'soon', expected such as 2026-11-30T08:15:00Z": record(1, created_at="soon"),
    "turn is -1, expected a number from 0": record(1, turn=-1),
}


@pytest.mark.parametrize("reason", BAD_RECORDS)
def test_a_bad_line_of_a_store_is_left_out_with_its_reason(reason, tmp_path):
    found = read_store(stored(tmp_path, [record(0), BAD_RECORDS[reason]]))
    assert found.records["record_id"].to_list() == ["r0"]
    assert [(reject["line"], reject["reason"]) for reject in found.rejects] == [(2, reason)]


def test_a_deleted_record_counts_among_the_corrected_and_is_not_drawn(study, tmp_path):
    gone = {"record_id": "gone", "user_id": user(1), "corrected": True}
    path = stored(tmp_path, [record(1, corrected=False), gone])
    audit.draw(study, file=path, now=NOW)
    assert drawn_ids() == ["r1"]
    (one,) = read(study, "audit_users").to_dicts()
    assert (one["records"], one["known_records"], one["corrected_records"]) == (2, 2, 1)


def test_the_documented_store_is_read_as_it_says(tmp_path):
    page = (root_folder() / "docs" / "audit.md").read_text(encoding="utf-8")
    lines = page.split("```json\n")[1].split("```")[0].splitlines()
    found = read_store(stored(tmp_path, map(json.loads, lines)))
    assert found.rejects == []
    assert found.records["corrected"].to_list() == [False, False, True]
    assert found.records["statement"].to_list() == ["Uses BigQuery.", "Is in Lisbon.", None]


BAD_ANSWERS = {
    "annotator is missing": {"record_id": "r0", "durable": "yes"},
    "record 'r9' was not drawn for any audit": {"record_id": "r9"},
    "record 'r0' was not drawn for audit 'b'": {"record_id": "r0", "audit": "b"},
    "scope_ok is missing": {"record_id": "r0", "scope_ok": None},
    "durable is 'maybe', expected one of: yes, until, no": {"record_id": "r0", "durable": "maybe"},
    "annotator is 'source:x', expected a person": {"record_id": "r0", "annotator": "source:x"},
}


@pytest.mark.parametrize("reason", BAD_ANSWERS)
def test_a_bad_answer_is_left_out_with_its_reason(reason, study, tmp_path):
    audit.draw(study, file=stored(tmp_path, [record(0)]), name="a", now=NOW)
    whole = {"annotator": "ann", **dict(zip(QUESTIONS, WRITE, strict=True))}
    bad = {"record_id": "r0"} if reason == "annotator is missing" else whole | BAD_ANSWERS[reason]
    bad |= {} if reason != "annotator is missing" else {"durable": "yes"}
    path = stored(tmp_path, [{"record_id": "r0", **whole}, bad], "answers.jsonl")
    assert audit.score(study, [path]).details["rejected"] == 1
    lines = (study_folder(study) / "audit-labels-rejects.jsonl").read_text().splitlines()
    assert [json.loads(line)["reason"] for line in lines] == [reason]


@pytest.mark.parametrize("erased", [True, False])
def test_who_leaves_is_named_nowhere_and_whose_answers_are_erased_has_none(
    erased, study, data, tmp_path
):
    audit.draw(study, file=stored(tmp_path, [record(n) for n in range(3)]), now=NOW)
    sheets = [answered(tmp_path, dict.fromkeys(drawn_ids(), WRITE), who) for who in ("Anna", "Bo")]
    with sheets[0].open("a") as sheet:
        sheet.write(json.dumps({"record_id": "r9", "annotator": "Anna", "note": "mine"}) + "\n")
        sheet.write(json.dumps({"record_id": "r8", "annotator": "Anna", "durable": "no"}) + "\n")
    audit.score(study, sheets)
    whose = {name: known for known, name in named_people().items()}
    (withdrawal.erase if erased else withdrawal.hide)("Anna", [whose["Anna"]])
    left = read(study, "audit_labels").group_by("annotator").len().rows()
    assert dict(left) == {whose["Bo"]: 9} | ({} if erased else {whose["Anna"]: 9})
    for file in study_folder(study).iterdir():
        assert b"Anna" not in file.read_bytes(), file
    assert stale(study, "audits") == (["audit_labels"] if erased else [])


# the alarm


def weeks(study, folder, wrong_of_50, start=0, **limit):
    path = stored(folder, [record(n) for n in range(2000)])
    for week, wrong in enumerate(wrong_of_50, start):
        name, now = f"week-{week:02}", NOW + timedelta(weeks=week)
        audit.draw(study, file=path, n=50, name=name, now=now)
        mine = read(study, "audit_records").filter(pl.col("audit") == name)["record_id"]
        given = {r: REJECT if k < wrong else WRITE for k, r in enumerate(mine)}
        files = [answered(folder, given, who, name) for who in "ab"]
        said = audit.score(study, files, **limit)
    return read(study, "audits"), said


def test_the_alarm_goes_off_at_a_stated_limit_and_stays_on(study, tmp_path):
    found, said = weeks(study, tmp_path, [3, 2, 4, 15, 16, 14, 2], limit=0.1)
    assert found["alarm"].to_list() == [False, False, False, False, True, True, True]
    assert set(found["limit_from"]) == {"stated"}
    assert set(found["evidence_needed"]) == {20}
    assert "ALARM for store" in said.text


def test_a_stated_limit_is_kept_and_a_change_is_warned_of(study, tmp_path, capsys):
    weeks(study, tmp_path, [3], limit=0.1)
    audit.score(study)
    assert read(study, "audits")["limit"].to_list() == [0.1]
    assert "warning" not in capsys.readouterr().err
    audit.score(study, limit=0.2)
    assert "the limit was 0.1 and is now 0.2" in capsys.readouterr().err


def test_without_a_limit_the_first_audit_sets_it(study, tmp_path):
    found, _ = weeks(study, tmp_path, [3, 3, 4])
    assert len(set(found["limit"])) == 1
    # 3 of 50 or fewer in one case of 100
    assert binom.cdf(3, 50, found["limit"][0]) == pytest.approx(0.01)
    assert found["alarm"].to_list() == [None, False, False]
    first = found.row(0, named=True)
    assert the_reason(first, "evidence") == "the first audit sets the limit"
    rising, _ = weeks(study, tmp_path, [20, 25], start=3)
    assert rising["alarm"].to_list() == [None, False, False, False, True]


@pytest.mark.parametrize("limit", [0, 1, -1, float("nan")])
def test_an_impossible_limit(limit, study, tmp_path):
    audit.draw(study, file=stored(tmp_path, [record(0)]), now=NOW)
    with pytest.raises(InputError, match="expected a share between 0 and 1"):
        audit.score(study, limit=limit)
