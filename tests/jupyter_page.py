"""JupyterLab in a browser: copies of the notebooks, served, run and looked at."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

from playwright.sync_api import Page

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
REPLAY = "2_replay_gates.ipynb"
SETTINGS = {
    # Cells outside the window are otherwise not in the page
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
    },
}
RUN = "notebook:run-all-cells"
# A run that begins before the kernel is ready runs the first cell only
KERNEL_IS_READY = f"""async () => {{
    const panel = window.jupyterapp?.shell.currentWidget;
    if (!panel?.sessionContext || !jupyterapp.commands.hasCommand('{RUN}')) return false;
    await Promise.all([panel.context.ready, panel.sessionContext.ready]);
    const kernel = panel.sessionContext.session?.kernel;
    await kernel?.info;
    return kernel?.status === 'idle' && kernel.connectionStatus === 'connected';
}}"""


@contextmanager
def jupyterlab(folder: Path) -> Iterator[str]:
    """The address of a JupyterLab that serves copies of the notebooks from `folder`."""
    shutil.copytree(NOTEBOOKS, folder / "pages", ignore=shutil.ignore_patterns(".*"))
    address = f"http://127.0.0.1:{_free_port()}"
    with (folder / "lab.log").open("w") as log:
        process = subprocess.Popen(
            _command(folder, address), env=_environment(folder), stdout=log, stderr=log
        )
    try:
        _wait(lambda: _answers(f"{address}/api"))
        yield address
    finally:
        process.terminate()
        process.wait(20)


def run_all(page: Page, address: str, notebook: str = REPLAY) -> None:
    """Open a notebook and run every cell; no cell may write to stderr."""
    page.goto(f"{address}/lab/tree/{notebook}?reset")
    _wait(lambda: page.evaluate(KERNEL_IS_READY))
    assert page.evaluate(f"() => jupyterapp.commands.execute('{RUN}')") is True
    assert page.locator('[data-mime-type="application/vnd.jupyter.stderr"]').count() == 0


def _command(folder: Path, address: str) -> list[str]:
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": str(urlsplit(address).port),
        "ServerApp.root_dir": str(folder / "pages"),
        "ServerApp.open_browser": "False",
        "ServerApp.allow_root": "True",
        "IdentityProvider.token": "",
        "LabApp.expose_app_in_browser": "True",
    }
    return [sys.executable, "-m", "jupyterlab", *(f"--{k}={v}" for k, v in options.items())]


def _environment(folder: Path) -> dict[str, str]:
    """Jupyter's own folders inside the test's, with the settings above."""
    config = folder / "jupyter"
    (config / "labconfig").mkdir(parents=True)
    overrides = config / "labconfig" / "default_setting_overrides.json"
    overrides.write_text(json.dumps(SETTINGS), encoding="utf-8")
    own = {f"JUPYTER_{name}_DIR": str(config) for name in ("CONFIG", "DATA", "RUNTIME")}
    return {**os.environ, **own, "JUPYTERLAB_SETTINGS_DIR": str(config / "user-settings")}


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait(ready: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not ready():
        assert time.monotonic() < until, "JupyterLab was not ready within a minute"
        time.sleep(0.2)


def _answers(address: str) -> bool:
    try:
        with urlopen(address, timeout=5):
            return True
    except URLError:
        return False
