"""What is installed, running, stale or damaged; and what to do next in a study."""

import shutil
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import polars as pl

from labelling import backup as backups
from labelling import client, services
from labelling.candidates import is_complete
from labelling.console import Outcome, amount, warn
from labelling.once_disputed import once_disputed
from labelling.reading import still_to_read
from labelling.server.health import Trouble, troubles
from labelling.tables import (
    SCHEMAS,
    InputError,
    check,
    data_folder,
    exists,
    read,
    simulated,
    stale,
    study_folder,
)
from labelling.tables import studies as all_studies
from labelling.tables.marks import open_marks
from labelling.tables.store import made_again, make_command, root_folder

PACKAGES = ("polars", "dataframely", "cyclopts", "altair", "argilla", "jupyterlab", "datasets")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FEW_BYTES = 1_000_000_000
NO_FOLDER = "set GATES_DATA to a folder"
FLOW = (
    "sessions",
    "turns",
    "proposals",
    "candidates",
    "labels",
    "reference_facts",
    "operating_points",
)
"""The tables whose absence or age decides what to do next, in the order of the flow."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at; `then` says what to do where it is not well."""

    what: str
    found: str
    well: bool = True
    then: str = ""


def doctor(study: str | None) -> Outcome:
    """Look at everything, or at one study's tables too. Raises InputError for an unknown study."""
    chosen = all_studies() if study is None else [study]
    for name in chosen:
        study_folder(name, must_exist=True)
    findings = [*_installed(), *_machine(), *_running(), *(f for s in chosen for f in tables(s))]
    ill = [finding for finding in findings if not finding.well]
    return Outcome(
        f"{len(ill)} of {len(findings)} things to attend to" if ill else "everything is well",
        text="\n".join(_line(finding) for finding in findings),
        then=ill[0].then if ill else "gates next" + (f" --study {study}" if study else ""),
        details={"findings": [vars(finding) for finding in findings]},
    )


def what_next(study: str) -> Outcome:
    """The first step of the flow that is missing or out of date in a study.

    Raises InputError for a table that cannot be read.
    """
    if study not in all_studies():
        study_folder(study)
        return Outcome(f"study {study!r} is empty", then=f"gates ingest FILE --study {study}")
    for name in FLOW:
        if not exists(study, name):
            return _asked(study, name) or Outcome(
                f"study {study!r} has no {name} yet", then=_step(study, name)
            )
        if name == "labels" and (marked := _marked(study)):
            return marked
        read(study, name)  # a damaged or older table says so itself
        changed = stale(study, name)
        if changed:
            return _asked(study, name) or Outcome(
                f"{name} of study {study!r} is older than {', '.join(changed)}",
                then=_step(study, name),
            )
    return _asked(study, "") or Outcome(
        f"study {study!r} is scored and up to date; `gates pool --study {study}` opens a further "
        "round with corrected statements and what gates proposed since"
        f"{_unsettled(study)}{_unread(study)}",
        then=f"open notebooks/2_replay_gates.ipynb in JupyterLab with STUDY = {study!r}",
    )


def _marked(study: str) -> Outcome | None:
    """Readers' marks that are no candidates yet: they come before all that is made of labels."""
    if is_complete(study):
        return None
    waiting = open_marks(read(study, "labels"), read(study, "candidates"))
    if not waiting:
        return None
    return Outcome(
        f"{amount(len(waiting), 'passage')} that readers of study {study!r} marked "
        f"{'is' if len(waiting) == 1 else 'are'} no candidate yet",
        then=f"gates pool --study {study}, then gates push --study {study}",
    )


def _unread(study: str) -> str:
    """Sessions that were drawn to be read whole and are not."""
    left = len(still_to_read(study, read(study, "labels")))
    where = f"`gates push --study {study}` sends them"
    return (
        f"; {amount(left, 'session')} that two people have yet to read whole: {where}"
        if left
        else ""
    )


def _unsettled(study: str) -> str:
    """What people split on and nobody settled; what came with its labels is as it is."""
    if is_complete(study) or simulated(study):
        return ""
    left = once_disputed(read(study, "labels"), read(study, "candidates")).open
    where = f"`gates adjudicate push --study {study}` sends them to somebody else"
    return f"; {amount(left, 'disputed candidate')} nobody settled: {where}" if left else ""


def _asked(study: str, name: str) -> Outcome | None:
    """What to do while people label the latest round in Argilla; None where they do not.

    `name` is the table that would be made next, "" where none is: what people answered since the
    last pull is taken in first.
    """
    steps = ("candidates", "labels", "")
    if name not in steps or not exists(study, "candidates") or is_complete(study):
        return None
    try:
        progress = _in_argilla(study)
    except InputError as error:
        warn(f"Argilla was not asked how far people are: {error}")
        return None
    if progress is None:
        return None
    total, completed = progress["total"], progress["completed"]
    if name != "labels" and completed == total and completed <= _pulled(study):
        return None
    return Outcome(
        f"study {study!r} is {'scored as far as it was pulled' if not name else 'being labelled'} "
        f"at {progress['url']}: {completed} of {amount(total, 'candidate')} have their answers",
        then=f"`gates status --study {study}` says how far people are, `gates pull --study "
        f"{study}` brings their answers",
    )


def _in_argilla(study: str) -> dict[str, Any] | None:
    """total, completed, url of the latest round; None where Argilla has not all of it."""
    candidates = read(study, "candidates")
    latest = candidates.filter(pl.col("round") == pl.col("round").max())
    with client.connect_if_running() or nullcontext() as argilla:
        workspace = argilla and client.workspace_id(argilla, study)
        if not argilla or not workspace or latest.is_empty():
            return None
        name = f"candidates-r{latest['round'][0]}"
        dataset = client.server_datasets(argilla, workspace).get(name)
        if dataset is None or dataset["status"] != "ready":
            return None
        found = argilla.call("GET", f"datasets/{dataset['id']}/progress")
        return None if found["total"] < latest.height else {**found, "url": argilla.url}


def _pulled(study: str) -> int:
    """How many candidates of the latest round have two submitted answers in table labels."""
    if not exists(study, "labels"):
        return 0
    labels = read(study, "labels").filter(pl.col("round") == pl.col("round").max())
    submitted = labels.filter(pl.col("status") == "submitted", ~pl.col("pilot"))
    people = submitted.group_by("candidate_id").agg(n=pl.col("annotator").n_unique())
    return people.filter(pl.col("n") >= 2).height


def _step(study: str, name: str) -> str:
    command = make_command(study, name)
    if name != "labels":
        return command
    return f"gates push --study {study}, label in the browser, then {command}"


def tables(study: str) -> list[Finding]:
    """A finding for each table of a study that is damaged or stale, or one that all are well.

    Half a file in the study's own folder may be one that a command is writing just now.
    """
    present = [name for name in SCHEMAS if exists(study, name)]
    findings = [finding for name in present if (finding := _table(study, name))]
    findings += [
        Finding(f"study {study}", f"{path.name} is half a file", False, _without(study, path))
        for path in sorted(study_folder(study).rglob(".*.part"))
    ]
    return findings or [Finding(f"study {study}", f"{amount(len(present), 'table')}, up to date")]


def _table(study: str, name: str) -> Finding | None:
    what = f"study {study}, {name}"
    try:
        rules = check(name, read(study, name)).rules
        changed = stale(study, name)
    except InputError as error:
        return Finding(what, error.found, False, error.then)
    if rules:
        broken = ", ".join(f"{rule} ({amount(rows, 'row')})" for rule, rows in rules.items())
        return Finding(what, f"breaks its schema: {broken}", False, made_again(study, name))
    if not changed:
        return None
    return Finding(what, f"older than {', '.join(changed)}", False, make_command(study, name))


def _without(study: str, part: Path) -> str:
    if part.parent != study_folder(study):
        return f"delete {part}"
    return "nothing: the next command that writes the study removes it"


def _installed() -> list[Finding]:
    python = ".".join(map(str, sys.version_info[:3]))
    supported = (3, 11) <= sys.version_info[:2] <= (3, 13)
    return [
        Finding("Python", python, supported, "" if supported else "use Python 3.11, 3.12 or 3.13"),
        *map(_package, PACKAGES),
    ]


def _package(name: str) -> Finding:
    try:
        return Finding(name, version(name))
    except PackageNotFoundError:
        return Finding(name, "not installed", False, "make env")


def _machine() -> list[Finding]:
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    folder = data_folder()
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(there).free
    return [
        Finding("Chromium", browser or "none: only its tests need it (apt-get install chromium)"),
        Finding(
            "disk", f"{free / 1e9:.1f} GB free at {there}", free > FEW_BYTES, "free some space"
        ),
        *([] if there.is_dir() else [Finding("data", f"{there} is no folder", False, NO_FOLDER)]),
    ]


def _running() -> list[Finding]:
    if url := client.elsewhere():
        return [_elsewhere(url)]
    found = services.running(data_folder())
    ill = [_trouble(one) for one in troubles(root_folder(), data_folder() / ".services")]
    if left := backups.left_over():
        ill.append(Finding("backup", f"a killed one left {', '.join(left)}", False, "gates backup"))
    if found is None and services.alive(data_folder()):
        return ill or [Finding("services", "they start just now, or a page does not answer yet")]
    if found is None:
        return [*ill, Finding("services", "not running (gates up starts Argilla and JupyterLab)")]
    return [*ill, Finding("Argilla", found.argilla_url), Finding("JupyterLab", found.jupyter_url)]


def _elsewhere(url: str) -> Finding:
    """The server that GATES_ARGILLA_URL names; what runs or does not run here is not asked for."""
    try:
        with client.connect() as argilla:
            people = len(client.users(argilla))
        return Finding("Argilla", f"{url} (GATES_ARGILLA_URL), {amount(people, 'account')}")
    except InputError as error:
        return Finding("Argilla", error.found, False, error.then or f"expected {error.expected}")


def _trouble(trouble: Trouble) -> Finding:
    found, _, then = trouble.sentence.rstrip(".").rpartition("; ")
    return Finding(trouble.what, found, False, then)


def _line(finding: Finding) -> str:
    mark = "ok " if finding.well else "!! "
    return f"  {mark}{finding.what}: {finding.found}" + (
        "" if finding.well else f" -> {finding.then}"
    )
