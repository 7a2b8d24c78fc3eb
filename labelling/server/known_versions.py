"""The versions of a database's tables that this environment knows, as one line of JSON.

python -m labelling.server.known_versions    # {"argilla": [...], "ours": 1}
"""

import json
from importlib.util import find_spec
from pathlib import Path

from alembic.script import ScriptDirectory

from labelling.server.triggers import VERSION


def argilla() -> list[str]:
    """From the migrations alone: to import Argilla takes seconds and a database."""
    found = find_spec("argilla_server")
    assert found
    assert found.origin
    scripts = ScriptDirectory(str(Path(found.origin).parent / "alembic"))
    return [script.revision for script in scripts.walk_revisions()]


if __name__ == "__main__":
    print(json.dumps({"argilla": argilla(), "ours": VERSION}))
