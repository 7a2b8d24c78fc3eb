"""Argilla turned to OpenSearch with records in the database: after `index` they are all found."""

import os
import subprocess
from pathlib import Path

import pytest
from alone import ROOT, alone, opensearch
from hosted import host
from postgres import postgres

from labelling.server import environment

pytestmark = [pytest.mark.server, pytest.mark.long]
A = "a0"
QUERY = {"query": {"text": {"q": "snowflake"}}}


def test_what_was_there_before_is_found(tmp_path: Path) -> None:
    python = str(environment.ensure(ROOT))
    command = [python, "-m", "labelling.server.launch", "index", "--state", str(tmp_path)]
    with postgres() as url, opensearch() as engine:
        settings = {"ARGILLA_DATABASE_URL": url}
        with alone(tmp_path, settings) as server:
            hosted = host(server.services, 8, (A,))
            hosted.answer(A, "c0", "submitted", durable="yes")
            before = hosted.found(A, QUERY)
        settings |= engine
        made = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            check=True,
        )
        assert "candidates-r1 8" in made.stdout
        with alone(tmp_path, settings, launcher="opensearch_standin") as server:
            hosted.clients[A].base_url = f"{server.services.argilla_url}/api/v1"
            assert sorted(hosted.found(A, QUERY)) == sorted(before) == ["c0", "c4"]
            pending = {"type": "terms", "scope": {"entity": "response", "property": "status"}}
            left = {"filters": {"and": [pending | {"values": ["pending"]}]}}
            assert len(hosted.found(A, left)) == 7
