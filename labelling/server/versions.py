"""Which versions of a database's tables this program knows, asked of the server's environment."""

import json
import subprocess
from dataclasses import dataclass
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
    command = [str(environment.ensure(root)), "-m", "labelling.server.known_versions"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        raise ServiceFailure(
            f"The server's environment cannot be asked ({(said or ['no message'])[-1]}); see "
            "`gates doctor`."
        )
    return Known(**json.loads(done.stdout))
