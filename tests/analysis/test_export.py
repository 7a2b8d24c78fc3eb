"""CSV that a spreadsheet opens without running anything in it."""

import csv
import io
import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.export import export, flat
from labelling.tables import InputError, empty, write
from tests.studies import own_data, said, save, talk  # noqa: F401

HOSTILE = ("=1+1", "+1", "-1", "@x", "\t=1", "\r=1", " =1", "\n=1", "＝1", "=cmd|' /C calc'!A0")


def cells(table):
    return list(csv.reader(io.StringIO(flat(table).write_csv(), newline="")))[1:]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_formula_is_inert(text):
    assert cells(pl.DataFrame({"a": [text]})) == [["'" + text]]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_any_text_comes_back_from_a_csv_reader(texts):
    found = cells(pl.DataFrame({"n": range(len(texts)), "a": texts}))
    assert [text.removeprefix("'") for _, text in found] == [t.removeprefix("'") for t in texts]
    assert not any(text.lstrip()[:1] in "=+-@" for _, text in found if text.strip())


def test_nested_columns_are_json(data):
    save(
        turns=talk("We use BigQuery."), proposals=[{"evidence": said(0, "a 🙂", "🙂")}, {"turn": 1}]
    )
    outcome = export("study", "proposals")
    with (data / "study" / "export" / "proposals.csv").open(encoding="utf-8", newline="") as file:
        first, second = csv.DictReader(file)
    assert json.loads(first["evidence"]) == [{"turn": 0, "role": "user", "start": 2, "end": 3}]
    assert (second["evidence"], second["quote"], second["polarity"]) == ("[]", "", "true")
    assert outcome.wrote == {"proposals.csv": 2}
    assert outcome.details["file"] == str(data / "study" / "export" / "proposals.csv")


def test_it_goes_where_it_is_told(data, tmp_path):
    save(turns=talk("Hi"))
    export("study", "turns", to=tmp_path / "deep" / "t.csv")
    assert (tmp_path / "deep" / "t.csv").read_text().startswith("session_id,turn,role")
    with pytest.raises(InputError, match="could not be written"):
        export("study", "turns", to=tmp_path)


def test_a_stale_table_is_exported_with_a_warning(data, capsys):
    save(turns=[])
    write("study", "proposals", empty("proposals"), made_from=("turns",))
    save(turns=talk("Hi"))
    export("study", "proposals")
    assert "proposals of study 'study' is older than turns" in capsys.readouterr().err
