"""The server's modules pass the strict type checker against the server's own packages.

The checker runs from the workspace's environment and reads the packages of the server's, so it
need not be installed there.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from services_fixture import ROOT

from labelling.server import environment

pytestmark = pytest.mark.server


def test_the_server_is_strictly_typed() -> None:
    python = environment.ensure(ROOT)
    config = ROOT / "labelling" / "server" / "mypy.ini"
    # A cache of its own: the packages differ from those the workspace is checked with.
    cache = f"--cache-dir={Path('.mypy_cache') / 'server'}"
    flags = [f"--config-file={config}", f"--python-executable={python}", cache]
    mypy = [sys.executable, "-m", "mypy", *flags, "-p", "labelling.server"]
    done = subprocess.run(mypy, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
