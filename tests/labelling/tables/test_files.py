"""A file is whole or absent, whatever happens while it is written."""

import signal
import subprocess
import sys

import pytest

from labelling.tables import InputError, atomic, replace_file, write_text

KILLED = """
import os, signal, sys
from pathlib import Path
from labelling.tables import atomic
with atomic(Path(sys.argv[1])) as part:
    part.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_file_is_replaced_whole(tmp_path):
    file = tmp_path / "deep" / "file.txt"
    write_text(file, "old 🙂")
    write_text(file, "new 🙂", mode=0o600)
    assert file.read_text(encoding="utf-8") == "new 🙂"
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(file.parent.iterdir()) == [file]


def test_an_exception_leaves_the_old_file_and_no_other(tmp_path):
    file = tmp_path / "file.txt"
    write_text(file, "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(file, "half \ud800")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_kill_in_the_middle_leaves_the_old_file(tmp_path):
    file = tmp_path / "file.txt"
    write_text(file, "old")
    died = subprocess.run([sys.executable, "-c", KILLED, str(file)], check=False)
    assert died.returncode == -signal.SIGKILL
    assert file.read_text() == "old"
    write_text(file, "new")
    assert file.read_text() == "new"


def test_a_reader_never_sees_half_a_file(tmp_path):
    file = tmp_path / "file.txt"
    write_text(file, "old")
    with atomic(file) as part:
        part.write_text("half")
        assert file.read_text() == "old"
        assert part.parent == file.parent


def test_what_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("a file, no folder")
    with pytest.raises(InputError, match=r"file/x could not be written \(.*\); it is as it was"):
        write_text(tmp_path / "file" / "x", "text")
    with pytest.raises(InputError, match="could not be written"):
        replace_file(tmp_path, lambda part: part.write_text("x"))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
