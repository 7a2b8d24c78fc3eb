"""CSV that a spreadsheet opens without running anything in it."""

import csv
import io
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.export import csv as csv_of
from analysis.export import export, flat, is_stdout
from labelling.tables import InputError, empty, write
from tests.studies import files, own_data, said, save, talk  # noqa: F401

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


@pytest.fixture
def hi(data):
    """A study of one turn."""
    save(turns=talk("Hi"))
    return data


def export_to(path):
    export("study", "turns", to=path)
    return csv_of("study", "turns")


def test_it_goes_where_it_is_told(hi, tmp_path):
    text = export_to(tmp_path / "t.csv")
    assert text.startswith("session_id,turn,role")
    assert (tmp_path / "t.csv").read_text() == text
    with pytest.raises(InputError, match="is a folder"):
        export_to(tmp_path)
    with pytest.raises(InputError, match=r"there is no folder .*nodir; make it"):
        export_to(tmp_path / "nodir" / "t.csv")
    assert not (tmp_path / "nodir").exists()


def test_a_link_stays_and_its_target_is_written(hi, tmp_path):
    for target in ("there.csv", "dangling.csv"):
        (tmp_path / "there.csv").write_text("old")
        link = tmp_path / f"to-{target}"
        link.symlink_to(target)
        text = export_to(link)
        assert link.is_symlink()
        assert (tmp_path / target).read_text() == text
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(InputError, match="a link that leads back to itself; choose another -o"):
        export_to(tmp_path / "loop")


def test_a_pipe_is_written_through(hi, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        reading = pool.submit(pipe.read_text)
        assert export_to(pipe) == reading.result()
    assert pipe.is_fifo()
    pipe.unlink()


def test_a_device_is_written_through(hi):
    ends = os.openpty()
    device = Path(os.ttyname(ends[1]))
    text = export_to(device)
    assert os.read(ends[0], 9999).decode().replace("\r\n", "\n") == text
    assert device.is_char_device()
    for end in ends:
        os.close(end)


@pytest.mark.parametrize("name", ["study/turns.parquet", "study/t.csv", "t.csv", "export/t.csv"])
def test_the_studies_own_folder_is_not_written_to(name, hi, tmp_path):
    (tmp_path / "link").symlink_to(hi / name)
    before = files(hi)
    for path in (hi / name, tmp_path / "link", hi / "study" / "export" / ".." / ".." / name):
        with pytest.raises(InputError, match="expected a place outside it, or in a study's folder"):
            export_to(path)
    assert files(hi) == before


def test_a_study_s_export_folder_is_free(hi):
    export("study", "turns")
    export_to(hi / "study" / "export" / "other.csv")
    assert len(list((hi / "study" / "export").iterdir())) == 2


def test_what_leads_to_standard_output_is_known(tmp_path, monkeypatch):
    assert is_stdout(Path("-"))
    assert not is_stdout(tmp_path / "gone")
    with (tmp_path / "out").open("w") as out:
        monkeypatch.setattr("sys.stdout", out)
        assert is_stdout(tmp_path / "out")
        assert not is_stdout(tmp_path)
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert not is_stdout(tmp_path)


def test_a_stale_table_is_exported_with_a_warning(data, capsys):
    save(turns=[])
    write("study", "proposals", empty("proposals"), made_from=("turns",))
    save(turns=talk("Hi"))
    export("study", "proposals")
    assert "proposals of study 'study' is older than turns" in capsys.readouterr().err
