"""`gates`: the one command line, in the order of the flow.

Exit code 0 done (or at least one good row), 1 bad input in one sentence, 2 wrong usage.
"""

import json as jsonlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, CycloptsError, Parameter

from analysis import compare as compares
from analysis import doctor as doctors
from analysis import export as exports
from analysis import replay as replays
from analysis import score as scores
from labelling import cli as labelling
from labelling import restore as restores
from labelling import rounds, sample, services
from labelling.candidates import pool
from labelling.cli import Json, Study
from labelling.console import Outcome
from labelling.reference import make_reference
from labelling.tables import InputError, data_folder, exists, root_folder, stale
from labelling.transcripts.ingest import ingest

TRY = "try"
SENTENCES = 40
"""About so many unproposed sentences are drawn for study `try`."""
MAKE_ROOM = "free some space, or set GATES_DATA to a folder that can be written, and run it again"


def _no_option(_: object, path: Path | None) -> None:
    """A lone `-` is a place to read or write; what else begins so is an option without a value."""
    if str(path).startswith("-") and str(path) != "-":
        raise ValueError(f'a path was expected before "{path}" (a file of that name: ./{path})')


_PATH: dict[str, Any] = {"allow_leading_hyphen": True, "validator": _no_option}

app = App(
    name="gates",
    help="Measure the write gate of an assistant's memory. Begin: `gates up`, then `gates next`.",
    version=version("memory-gates"),
    help_format="markdown",
)


def up(
    *,
    detach: Annotated[bool, Parameter(negative="")] = False,
    host: str = "127.0.0.1",
    json: Json = False,
) -> Outcome | None:
    """Start Argilla and JupyterLab and load the studies `sample` and `try`; Ctrl-C ends it.

    A second `gates up` prints the addresses of what is running.

    Parameters
    ----------
    detach
        Return when both pages answer, and leave them running (`gates down` ends them).
    host
        Where Argilla listens; another address than 127.0.0.1 lets other machines reach it.
    """
    shown: list[Outcome] = []

    def ready(found: services.Services) -> None:
        _load_studies()
        shown.append(_addresses(found))
        if not detach:
            shown[-1].show(as_json=json)

    services.up(root_folder(), data_folder(), host=host, detach=detach, on_ready=ready)
    return shown[0] if detach else None


def down(*, json: Json = False) -> Outcome:
    """Stop what `gates up` started."""
    stopped = services.down(data_folder())
    return Outcome("stopped" if stopped else "nothing was running", then="gates up")


def doctor(*, study: str | None = None, json: Json = False) -> Outcome:
    """What is installed, running, damaged or out of date; of all studies or of one.

    Parameters
    ----------
    study
        The only study to look at; all of them if left out.
    """
    return doctors.doctor(study)


def next_(*, study: Study = "sample", json: Json = False) -> Outcome:
    """What to do now in a study."""
    return doctors.what_next(study)


def replay(
    *,
    gate: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    from_: Annotated[Path | None, Parameter(name="--from", **_PATH)] = None,
    sessions: Path | None = None,
    study: Study = "sample",
    json: Json = False,
) -> Outcome:
    """Run gates over the transcripts, or take in what a live gate wrote (`--from`).

    A gate of your own is a function `(turn, context) -> list[Proposal]`; what these three hold is
    in `analysis/gates/__init__.py`, an example in `analysis/gates/everything.py`.

    Parameters
    ----------
    gate
        heuristic, nothing, everything, first_person (all four if left out), or `module:function`,
        looked for in this folder; may be given several times. With `--from`, the name under which
        the records are kept.
    from_
        JSON lines of a live gate: session_id, turn, statement, and quote, score, latency_ms if
        known; `-` is standard input.
    sessions
        With `--from`: the sessions the live gate covered, one id a line (else all: it then wrote
        nothing in those without a record).
    """
    if from_ is None:
        if sessions is not None:
            raise InputError("--sessions was given without --from", expected="both or neither")
        return replays.replay(study, gate)
    if len(gate) != 1:
        raise InputError(
            f"--from was given with {len(gate)} names",
            expected="one --gate NAME under which the records are kept",
        )
    return replays.import_records(study, from_, gate=gate[0], sessions_file=sessions)


def score(*, split: str = "test", study: Study = "sample", json: Json = False) -> Outcome:
    """Judge every record against the reference facts: precision, recall, wrong records.

    Parameters
    ----------
    split
        Users to report: `test` (patterns and thresholds never saw them), `dev` or `all`.
    """
    return scores.score(study, split=split)


def compare(
    *gates: str, split: str = "test", study: Study = "sample", json: Json = False
) -> Outcome:
    """Gates on the same users: differences with intervals, what each step costs and buys.

    Parameters
    ----------
    gates
        Two or more, as `gate` or, where it has several settings, `gate/setting`.
    split
        Users to compare on: `test`, `dev` or `all`.
    """
    return compares.compare(study, gates, split=split)


def export(
    table: str,
    /,
    *,
    csv: Annotated[bool, Parameter(negative="")] = True,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"], **_PATH)] = None,
    study: Study = "sample",
    json: Json = False,
) -> Outcome | str:
    """Write a table as CSV that a spreadsheet opens without running anything in it.

    Parameters
    ----------
    table
        Name of the table, as in data/README.md.
    csv
        The format; CSV is the only one.
    output
        Where to, `-` for standard output; else into the study's folder `export`.
    """
    if output is None or not exports.is_stdout(output):
        return exports.export(study, table, to=output)
    if json:
        raise InputError(
            f"--json was given with -o {output}", expected="one of them: both go to standard output"
        )
    return exports.csv(study, table)


COMMANDS: dict[str, Callable[..., Outcome | str | None]] = {
    "up": up,
    "down": down,
    "doctor": doctor,
    "next": next_,
    "ingest": labelling.ingest,
    "simulate": labelling.simulate,
    "replay": replay,
    "pool": labelling.pool,
    "push": labelling.push,
    "status": labelling.status,
    "pull": labelling.pull,
    "reference": labelling.reference_,
    "agreement": labelling.agreement,
    "adjudicate push": labelling.adjudicate_push,
    "adjudicate pull": labelling.adjudicate_pull,
    "score": score,
    "compare": compare,
    "export": export,
    "plan": labelling.plan,
    "audit draw": labelling.audit_draw,
    "audit push": labelling.audit_push,
    "audit score": labelling.audit_score,
    "accounts add": labelling.accounts_add,
    "accounts reset": labelling.accounts_reset,
    "accounts list": labelling.accounts_list,
    "accounts remove": labelling.accounts_remove,
    "backup": labelling.backup_,
    "restore": labelling.restore_,
    "move": labelling.move,
}
GROUPS = {
    "adjudicate": "Have somebody else decide what two people split on.",
    "audit": "Draw records of a live store, have them judged, watch the wrong share.",
    "accounts": "Who may sign in to Argilla: make, give a new password, list, remove.",
}
"""Commands of two words by their first."""
_apps = {"": app}
for _place, (_name, _command) in enumerate(COMMANDS.items()):
    _group, _, _own = _name.rpartition(" ")
    if _group not in _apps:
        _apps[_group] = App(name=_group, help=GROUPS[_group], sort_key=_place)
        app.command(_apps[_group])
    _apps[_group].command(_command, name=_own, sort_key=_place)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        command, bound, _ = app.parse_args(given, exit_on_error=False, print_error=False)
        as_json = bool(bound.arguments.get("json", False))
    except CycloptsError as error:
        return _say(f"{error} (see `gates --help`)".strip(), 2, as_json="--json" in given)
    try:
        with _tidy_end():
            restores.finish()
            outcome = command(*bound.args, **bound.kwargs)
    except InputError as error:
        return _say(str(error), 1, as_json=as_json)
    except OSError as error:
        what = f"{error.filename or f'a file in {data_folder()}'} failed ({error.strerror})"
        return _say(f"{what}; {MAKE_ROOM}", 1, as_json=as_json)
    except KeyboardInterrupt:
        return 130
    return _print(outcome, as_json=as_json)


_ENDS = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def _tidy_end() -> Iterator[None]:
    """Whoever is asked to end (SIGTERM, a closed terminal) removes what is half done, as on Ctrl-C.

    A second request is not heard meanwhile. A command that has a meaning of its own sets it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # what is ignored stays so: `nohup` wants that
    wanted = [one for one in _ENDS if signal.getsignal(one) is signal.SIG_DFL]

    def end(*_: object) -> None:
        for one in wanted:
            signal.signal(one, signal.SIG_IGN)
        raise KeyboardInterrupt

    for one in wanted:
        signal.signal(one, end)
    try:
        yield
    finally:
        for one in wanted:
            signal.signal(one, signal.SIG_DFL)


def _print(made: object, *, as_json: bool = False) -> int:
    """Show an outcome or a text; where stdout takes no more, say so and write no more to it."""
    try:
        if isinstance(made, Outcome):
            made.show(as_json=as_json)
        elif isinstance(made, str):
            print(made, end="")
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # a reader such as `head` needs no more
            return 0
        return _say(f"standard output could not be written ({error.strerror})", 1)
    return 0


def _say(sentence: str, code: int, *, as_json: bool = False) -> int:
    print(f"gates: {sentence}", file=sys.stderr)
    if as_json:
        _print(jsonlib.dumps({"error": sentence}) + "\n")
    return code


def _load_studies() -> None:
    """`sample`, complete with its labels, and `try`, the same transcripts for the reader's own."""
    if not sample.loaded():
        sample.load()
    if not exists(sample.STUDY, "operating_points") or stale(sample.STUDY, "operating_points"):
        replays.replay(sample.STUDY)
        make_reference(sample.STUDY)
        scores.score(sample.STUDY)
    if not exists(TRY, "candidates"):
        ingest(TRY, [sample.transcripts()])
        replays.replay(TRY)
        pool(TRY, sample=SENTENCES)
    rounds.push(TRY)


def _addresses(found: services.Services) -> Outcome:
    ours = found.pids.get("supervisor") == os.getpid()
    stop = "Ctrl-C stops them" if ours else "`gates down` stops them"
    details: dict[str, Any] = {
        "argilla_url": found.argilla_url,
        "jupyter_url": found.jupyter_url,
        "accounts_file": str(found.accounts_file),
        "pids": found.pids,
    }
    return Outcome(
        f"Argilla and JupyterLab are running; {stop}",
        text="\n".join(
            [
                f"  label    {found.argilla_url}",
                f"  analyse  {found.jupyter_url}",
                f"  accounts {found.accounts_file}",
                *(f"           {line}" for line in _accounts(found.accounts_file)),
            ]
        ),
        then=f"gates next --study {TRY}",
        details=details,
    )


def _accounts(file: Path) -> list[str]:
    accounts = jsonlib.loads(file.read_text(encoding="utf-8"))
    return [f"{name} ({a['role']}): {a['password']}" for name, a in accounts.items()]


if __name__ == "__main__":
    sys.exit(main())
