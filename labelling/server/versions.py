"""Which versions of a database's tables this program knows, as the server's environment has them.

    python -m labelling.server.versions    # {"argilla": [...], "ours": 1}

`known` asks it from the other environment.
"""

import json
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from labelling.server import environment
from labelling.server.processes import ServiceFailure


@dataclass(frozen=True)
class Known:
    """Every version of Argilla's tables, and the newest of ours."""

    argilla: list[str]
    ours: int


def known(root: Path) -> Known:
    """What the server's environment of the repository at `root` knows. Raises ServiceFailure."""
    command = [str(environment.ensure(root)), "-m", "labelling.server.versions"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        raise ServiceFailure(
            f"The server's environment cannot be asked ({(said or ['no message'])[-1]}); see "
            "`gates doctor`."
        )
    return Known(**json.loads(done.stdout))


def _argilla() -> list[str]:
    """From the migrations alone: to import Argilla takes seconds and a database."""
    from alembic.script import ScriptDirectory

    found = find_spec("argilla_server")
    assert found
    assert found.origin
    scripts = ScriptDirectory(str(Path(found.origin).parent / "alembic"))
    return [script.revision for script in scripts.walk_revisions()]


if __name__ == "__main__":
    from labelling.server.triggers import VERSION

    print(json.dumps({"argilla": _argilla(), "ours": VERSION}))
