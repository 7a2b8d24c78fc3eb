"""A backup file holds what was put in, and lets nothing else out."""

import json
import zipfile
from pathlib import Path

import pytest

from labelling.archive import MANIFEST, Manifest, Writer, unpack
from labelling.tables import InputError

NAMES = ["services/accounts.json", "database/argilla.db", "studies/mine/labels.parquet"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    manifest = Manifest("now", "1", NAMES[1], {"records": 1}, ["mine"])
    with Writer(tmp_path / "b.zip", manifest) as writer:
        for name in NAMES:
            source = tmp_path / Path(name).name
            source.write_bytes(name.encode() * 1000)
            writer.put(name, source)
    return tmp_path / "b.zip"


def test_what_was_put_in_comes_out_private(file: Path, tmp_path: Path) -> None:
    manifest = unpack(file, tmp_path / "out")
    assert list(manifest.files) == NAMES
    assert (manifest.counts, manifest.studies) == ({"records": 1}, ["mine"])
    for name in NAMES:
        out = tmp_path / "out" / name
        assert out.read_bytes() == name.encode() * 1000
        shared = name.startswith("studies/")
        assert out.stat().st_mode & 0o777 == (0o644 if shared else 0o600)


@pytest.mark.parametrize("at", [0.3, 0.5, 0.9, 0.99])
def test_half_a_file_is_one_sentence(file: Path, tmp_path: Path, at: float) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * at)])
    with pytest.raises(InputError, match=r"is damaged, or no backup .*; take another backup"):
        unpack(file, tmp_path / "out")


def test_a_changed_byte_is_found(file: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(file) as opened:
        place = opened.getinfo(NAMES[2]).header_offset + 200
    whole = bytearray(file.read_bytes())
    whole[place] ^= 1
    file.write_bytes(whole)
    with pytest.raises(InputError, match="is damaged, or no backup"):
        unpack(file, tmp_path / "out")


@pytest.mark.parametrize(
    "name",
    [
        *("/etc/passwd", "../x", "studies/../../x", "studies/mine/../../../x", "x", "services/"),
        *("studies/Mine/x", "studies//x", "services\\..\\x", "studies/mine/a/../../../../x"),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    file = tmp_path / "hostile.zip"
    manifest = {"made_at": "", "program": "", "database": None, "counts": {}, "studies": []}
    with zipfile.ZipFile(file, "w") as made:
        made.writestr(name, "x")
        made.writestr(MANIFEST, json.dumps({**manifest, "files": {name: "0"}, "format": 1}))
    with pytest.raises(InputError, match="is no place in a backup"):
        unpack(file, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "damaged"),
        (b"text", "damaged"),
        (None, "there is no file"),
        ({}, "manifest.json is none of ours"),
        ({"format": 2}, "is a backup of format 2; expected format 1"),
        ([1], "manifest.json is none of ours"),
    ],
)
def test_what_is_no_backup_is_one_sentence(tmp_path: Path, content: object, said: str) -> None:
    file = tmp_path / "file.zip"
    if isinstance(content, bytes):
        file.write_bytes(content)
    elif content is not None:
        with zipfile.ZipFile(file, "w") as made:
            made.writestr(MANIFEST, json.dumps(content))
    with pytest.raises(InputError, match=said):
        unpack(file, tmp_path / "out")


def test_a_database_that_is_not_in_it_is_missed(tmp_path: Path) -> None:
    with Writer(tmp_path / "b.zip", Manifest("now", "1", NAMES[1], {}, [])):
        pass
    with pytest.raises(InputError, match=r"is damaged.* \(database/argilla.db is not in it\)"):
        unpack(tmp_path / "b.zip", tmp_path / "out")
