"""How JupyterLab is run: on this machine alone, with a token, asking nothing from outside."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from labelling.server.processes import LOCAL, write_private
from labelling.server.supervisor import Child

START_PAGE = "/lab/tree/notebooks"


def child(folder: Path, root: Path, port: int, token: str, log: str) -> Child:
    """JupyterLab of the repository at `root`; writes its settings into the services' folder."""
    home = folder / "jupyter"
    write_private(home / "config.json", json.dumps(_config(home, root, port, token), indent=2))
    overrides = home / "labconfig" / "default_setting_overrides.json"
    write_private(overrides, json.dumps(_LAB_SETTINGS, indent=2))
    environment_ = {
        "JUPYTER_CONFIG_PATH": os.pathsep.join(
            filter(None, [str(home), os.environ.get("JUPYTER_CONFIG_PATH")])
        ),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
    }
    command = [sys.executable, "-m", "jupyterlab", f"--config={home / 'config.json'}"]
    page = f"http://{LOCAL}:{port}/api"
    return Child("jupyter", command, log, environment_, page, private=False)  # people's notebooks


def _config(home: Path, root: Path, port: int, token: str) -> dict[str, Any]:
    return {
        "ServerApp": {
            "ip": LOCAL,
            "port": port,
            "port_retries": 0,
            "open_browser": False,
            "root_dir": str(root),
            "allow_root": os.geteuid() == 0,
        },
        "IdentityProvider": {"token": token},
        "LabApp": {
            "default_url": START_PAGE,
            "workspaces_dir": str(home / "workspaces"),
            # Nothing is asked from outside: no news, no updates, no list of extensions.
            "news_url": None,
            "check_for_updates_class": "jupyterlab.handlers.announcements.NeverCheckForUpdate",
            "extension_manager": "readonly",
        },
    }


_LAB_SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": False,
    }
}
