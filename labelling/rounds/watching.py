"""`gates status`: one look at a study in Argilla, or one every few seconds until it is done.

The first look reads every record; later ones ask for what changed since, where the server keeps
the changes (ours does), so that watching costs the annotators nothing. A server that is away for a
while, for a restart say, is told and waited for.
"""

import json
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from labelling.answers import Change, Labelled, Response, changes, labelled
from labelling.client import Argilla, Json
from labelling.console import Outcome, warn_if_stale
from labelling.rounds.held import Reader, found
from labelling.rounds.progress import counts, done, in_words, look
from labelling.rounds.standing import in_argilla, in_tables
from labelling.rounds.words import look_in_words, sentences
from labelling.tables import InputError, read

EVERY = 5.0
"""Seconds between two looks."""
CLEAR = "\x1b[H\x1b[2J"
NEVER = 2**62
"""The id of a change that no server has reached."""

Told = dict[str, Any]


def status(study: str) -> Outcome:
    """How far the annotators are; writes nothing."""
    warn_if_stale(study, "candidates")
    candidates = read(study, "candidates")
    held = found(study, history=True)
    told, now = counts(held, candidates), look(in_argilla(study, held))
    return Outcome(
        f"Answers in Argilla for study {study!r}",
        then=f"gates pull --study {study}",
        details={**told, **now},
        text="\n".join([in_words(told), *look_in_words(now)]),
    )


def look_now(study: str) -> Told:
    """One look, at Argilla where it runs and holds the study, else at the study's tables.

    `said` has the sentences; `away` says why it is the tables, `done` whether nothing is left.
    """
    try:
        told = look(in_argilla(study, found(study, history=True)))
    except InputError as why:
        told = {**look(in_tables(study)), "away": str(why)}
    return {**told, "said": sentences(told), "done": done(told)}


def watch(study: str, *, as_json: bool = False, every: float = EVERY) -> None:
    """Print a look every few seconds until every record has its answers, or Ctrl-C.

    In place on a terminal, else as blocks; as JSON one object a look. Raises InputError where the
    first look finds nothing.
    """
    warn_if_stale(study, "candidates")
    read(study, "candidates")  # what is missing is said before Argilla is asked
    try:
        for told in looks(study, every):
            _show(study, told, as_json=as_json)
    except KeyboardInterrupt:
        if sys.stdout.isatty():
            print()


def looks(study: str, every: float = EVERY) -> Iterator[Told]:
    """Looks until all is done; while Argilla does not answer, {"away": why, "seconds": so far}."""
    seen = Watched(study)
    told, away_since = seen.look(), None
    while True:
        yield told
        if "away" not in told and done(told):
            return
        time.sleep(every)
        told, away_since = _again(seen, away_since)


def _again(seen: "Watched", away_since: float | None) -> tuple[Told, float | None]:
    """A look that may fail, and since when they do."""
    now = time.monotonic()
    try:
        told = seen.look()
    except InputError as why:
        since = now if away_since is None else away_since
        return {"away": str(why), "seconds": round(now - since)}, since
    return told if away_since is None else {**told, "back_after": round(now - away_since)}, None


class Watched(Reader):
    """A study that is looked at again and again; remembers what it read."""

    def __init__(self, study: str) -> None:
        self.study = study
        self._told: dict[str, list[Change]] = {}
        self._new: list[Change] = []
        self._whole: dict[str, Labelled] = {}
        self._kept = False

    def look(self) -> Told:
        """What there is now. Raises InputError where Argilla does not answer."""
        self._new = []
        return look(in_argilla(self.study, found(self.study, history=True, reader=self)))

    def changes(self, argilla: Argilla, workspace: str) -> Iterable[Change]:
        """Those read before and those since."""
        page = argilla.offers("gates/history", workspace=workspace, after=NEVER)
        self._kept = page is not None
        told = self._told.setdefault(workspace, [])
        new = list(changes(argilla, workspace, after=told[-1].change if told else 0))
        self._new += new
        told += new
        return told

    def labelled(self, argilla: Argilla, dataset: Json) -> Labelled:
        """The dataset as it was, with the new changes made; read anew if it has other records."""
        whole = self._whole.get(dataset["id"])
        total = argilla.call("GET", f"datasets/{dataset['id']}/progress")["total"]
        if self._kept and whole and len(whole.candidate_ids) == total:
            found = _changed(
                whole, [one for one in self._new if one.server_dataset == dataset["name"]]
            )
        else:
            found = labelled(argilla, dataset)
        self._whole[dataset["id"]] = found
        return found


def _changed(whole: Labelled, new: Iterable[Change]) -> Labelled:
    responses = {one.response_id: one for one in whole.responses}
    for change in new:
        responses.pop(change.response_id, None)
        if change.status is not None:
            responses[change.response_id] = _response(change, change.status)
    return replace(whole, responses=tuple(responses.values()))


def _response(change: Change, status: str) -> Response:
    return Response(
        change.response_id,
        change.candidate_id,
        change.annotator,
        status,
        change.answers,
        change.changed_at,
    )


def _show(study: str, told: Told, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"study": study, **told}, default=str), flush=True)
        return
    lines = _lines(study, told)
    if sys.stdout.isatty():
        wide, high = shutil.get_terminal_size()
        print(CLEAR + "\n".join(line[:wide] for line in lines[: high - 1]), flush=True)
    else:
        print("\n".join(lines), end="\n\n", flush=True)


def _lines(study: str, told: Told) -> list[str]:
    if "away" in told:
        return [f"{told['away']}; waiting for {told['seconds']} s, Ctrl-C ends it"]
    back = f" (Argilla answers again, after {told['back_after']} s)" if "back_after" in told else ""
    end = "Every record has its answers: " if done(told) else "Ctrl-C ends it; later: "
    return [
        f"Study {study!r} in Argilla at {told['at']}{back}",
        *look_in_words(told),
        f"{end}gates pull --study {study}",
    ]
