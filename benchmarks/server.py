"""How long annotators wait: next record, search and submit, many people at once.

    python -m benchmarks.server --records 50000 --annotators 20

Three servers, one after the other, each with the same records and the same people: our search
engine on SQLite and on PostgreSQL, and Argilla's own OpenSearch engine over an in-memory stand-in,
its answers on PostgreSQL too. Every person takes the next pending record, submits an answer, and
every third time searches for a word, without a pause to think. A row of the printed table is a
server and a kind of request; milliseconds of the clock; the peak of memory is the sum over the
server's processes, of which each is listed.
"""

import argparse
import os
import random
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from benchmarks.measured import table

ROOT = Path(__file__).parent.parent
sys.path += [str(ROOT / "tests"), str(ROOT / "tests" / "labelling" / "server")]

from alone import alone, opensearch  # noqa: E402
from postgres import postgres  # noqa: E402

from labelling.services import Services  # noqa: E402

JOBS = {"serve": "Argilla", "work": "its worker"}
KINDS = ("next record", "search", "submit")
SEARCH_EVERY = 3
TRIES = 20
"""How often a person tries to get and answer a record that the server fails to give or take."""
WORDS = [f"{a}{b}{c}" for a in ("ba", "ko", "li") for b in ("ru", "se", "ti", "mo") for c in "nrst"]
PENDING = {"type": "terms", "scope": {"entity": "response", "property": "status"}}
NEXT = {"filters": {"and": [PENDING | {"values": ["pending"]}]}}


@dataclass(frozen=True)
class Taken:
    """What one server took: seconds of each request by kind, how many of them the server failed to
    answer, MB by process, and what it found."""

    seconds: dict[str, list[float]]
    failed: dict[str, int]
    answers_per_second: float
    peak_mb: dict[str, float]
    found: dict[str, int]


def main(records: int = 50_000, annotators: int = 20, answers: int = 15) -> None:
    """Measure the three servers and print one table."""
    sizes = (records, annotators, answers)
    taken = {}
    for name, measure in SERVERS.items():
        taken[name] = measure(*sizes)
        print(name, *_rows(name, taken[name]), sep="\n  ", file=sys.stderr, flush=True)
    found = [one.found for one in taken.values()]
    if any(one != found[0] for one in found):
        raise AssertionError(f"the servers find different records: {found}")
    print(
        f"{records:,} records, {annotators} annotators at once, {answers} answers each; "
        "the same number of records is found by each"
    )
    head = ("server", "request", "p50 ms", "p95 ms", "failed", "answers/s", "peak MB", "of it")
    print(table(head, *(row for name, one in taken.items() for row in _rows(name, one))))


def _rows(name: str, taken: Taken) -> Iterator[tuple[str, ...]]:
    for kind in KINDS:
        seconds = sorted(taken.seconds[kind])
        shown = [f"{1000 * _percentile(seconds, share):,.0f}" for share in (0.5, 0.95)]
        first = kind == KINDS[0]
        whole = f"{sum(taken.peak_mb.values()):,.0f}" if first else ""
        parts = ", ".join(f"{part} {mb:,.0f}" for part, mb in taken.peak_mb.items())
        rate = f"{taken.answers_per_second:.1f}" if first else ""
        failed = f"{taken.failed[kind]} of {len(seconds)}"
        yield (name, kind, *shown, failed, rate, whole, parts if first else "")


def _percentile(ordered: list[float], share: float) -> float:
    """By nearest rank."""
    return ordered[max(0, -(-int(share * 100) * len(ordered) // 100) - 1)]


def _on_sqlite(*sizes: int) -> Taken:
    return _measured(*sizes, {})


def _on_postgresql(*sizes: int) -> Taken:
    with postgres(durable=True) as url:
        return _measured(*sizes, {"ARGILLA_DATABASE_URL": url})


def _on_opensearch(*sizes: int) -> Taken:
    with postgres(durable=True) as url, opensearch() as settings:
        settings = {**settings, "ARGILLA_DATABASE_URL": url}
        return _measured(*sizes, settings, launcher="opensearch_standin")


SERVERS = {
    "ours, SQLite": _on_sqlite,
    "ours, PostgreSQL": _on_postgresql,
    "OpenSearch stand-in": _on_opensearch,
}


def _measured(
    records: int, annotators: int, answers: int, settings: dict[str, str], **options: str
) -> Taken:
    names = [f"a{i}" for i in range(annotators)]
    with (
        tempfile.TemporaryDirectory() as folder,
        alone(Path(folder), settings, annotators=annotators, **options) as server,
    ):
        services = server.services
        owner = _client(services, "owner")
        dataset = _load(owner, records, names)
        people = [_client(services, name) for name in names]
        found = {word: _total(people[0], dataset, word) for word in WORDS[:5]}
        clock = Clock()
        began = time.perf_counter()
        _all_at_once(people, dataset, answers, clock)
        rate = annotators * answers / (time.perf_counter() - began)
        return Taken(clock.seconds, clock.failed, rate, _peaks(), found)


def _client(services: Services, name: str) -> httpx.Client:
    client = httpx.Client(base_url=f"{services.argilla_url}/api/v1", timeout=600)
    form = {"username": name, "password": f"{name}-password"}
    token = client.post("/token", data=form).raise_for_status().json()["access_token"]
    client.headers["Authorization"] = f"Bearer {token}"
    return client


def _load(owner: httpx.Client, records: int, names: list[str]) -> str:
    """A published dataset of conversations of some 200 words."""
    workspace = _made(owner, "/workspaces", {"name": "bench"})
    users = {one["username"]: one["id"] for one in owner.get("/users").json()["items"]}
    for name in names:
        _made(owner, f"/workspaces/{workspace}/users", {"user_id": users[name]})
    overlap = {"strategy": "overlap", "min_submitted": len(names)}
    body = {"name": "bench", "workspace_id": workspace, "distribution": overlap}
    dataset = _made(owner, "/datasets", body)
    text = {"type": "text", "use_markdown": False}
    field = {"name": "text", "title": "text", "required": True, "settings": text}
    _made(owner, f"/datasets/{dataset}/fields", field)
    options = [{"value": one, "text": one} for one in ("yes", "no")]
    label = {"type": "label_selection", "options": options}
    question = {"name": "durable", "title": "durable", "required": True, "settings": label}
    _made(owner, f"/datasets/{dataset}/questions", question)
    owner.put(f"/datasets/{dataset}/publish").raise_for_status()
    draw = random.Random(1)
    for start in range(0, records, 500):
        items = [_record(i, draw) for i in range(start, min(start + 500, records))]
        path = f"/datasets/{dataset}/records/bulk"
        owner.put(path, json={"items": items}).raise_for_status()
    return dataset


def _record(i: int, draw: random.Random) -> dict[str, Any]:
    """Some words are in most records, some in few."""
    words = draw.choices(
        [*WORDS, "the", "we"], k=200, weights=[*range(1, len(WORDS) + 1), 900, 900]
    )
    return {"external_id": f"c{i}", "fields": {"text": " ".join(words)}}


def _made(owner: httpx.Client, path: str, body: dict[str, Any]) -> str:
    return str(owner.post(path, json=body).raise_for_status().json()["id"])


def _total(person: httpx.Client, dataset: str, word: str) -> int:
    return int(_search(person, dataset, {"query": {"text": {"q": word}}})["total"])


def _search(person: httpx.Client, dataset: str, query: dict[str, Any], limit: int = 10) -> Any:
    path = f"/me/datasets/{dataset}/records/search"
    return person.post(path, json=query, params={"limit": limit}).raise_for_status().json()


class Clock:
    """Times requests, and counts those that the server failed to answer."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}
        self.failed = dict.fromkeys(KINDS, 0)

    def time(self, kind: str, request: Callable[[], Any]) -> Any:
        """Make the request; None where the server failed."""
        began = time.perf_counter()
        try:
            return request()
        except httpx.HTTPStatusError as error:
            if error.response.status_code < 500:
                raise
            self.failed[kind] += 1
        finally:
            self.seconds[kind].append(time.perf_counter() - began)
        return None


def _all_at_once(people: list[httpx.Client], dataset: str, answers: int, clock: Clock) -> None:
    failed: list[BaseException] = []

    def work(person: httpx.Client, seed: int) -> None:
        try:
            draw = random.Random(seed)
            for step in range(answers):
                if not any(_answer(person, dataset, clock) for _ in range(TRIES)):
                    raise RuntimeError(f"the server failed {TRIES} times to take an answer")
                if step % SEARCH_EVERY == 0:
                    clock.time("search", partial(_total, person, dataset, draw.choice(WORDS)))
        except BaseException as error:  # it is raised on the other side
            failed.append(error)

    threads = [threading.Thread(target=work, args=(one, i)) for i, one in enumerate(people)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def _answer(person: httpx.Client, dataset: str, clock: Clock) -> bool:
    """Take the next record and submit an answer; whether the server did both."""
    found = clock.time("next record", partial(_search, person, dataset, NEXT, limit=1))
    if not found:
        return False
    record = found["items"][0]["record"]["id"]
    return clock.time("submit", partial(_submit, person, record)) is not None


def _submit(person: httpx.Client, record: str) -> httpx.Response:
    answer = {"values": {"durable": {"value": "yes"}}, "status": "submitted"}
    return person.post(f"/records/{record}/responses", json=answer).raise_for_status()


def _children() -> set[int]:
    """The processes under this one (Linux)."""
    found, waiting = set(), [os.getpid()]
    while waiting:
        pid = waiting.pop()
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            new = [int(one) for one in children.read_text().split()]
            found.update(new)
            waiting += new
    return found


def _peaks() -> dict[str, float]:
    """MB by name of process; those of one name (PostgreSQL's) added up without what they share."""
    peaks: dict[str, float] = {}
    for pid in _children():
        status = Path(f"/proc/{pid}/status").read_text()
        command = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
        job = re.search(r" (serve|work) --state", command) or re.search(r"Name:\s+(\S+)", status)
        own = re.search(r"VmHWM:\s+(\d+) kB", status)
        shared = re.search(r"RssShmem:\s+(\d+) kB", status)
        if job and own and shared:
            mb = (int(own[1]) - int(shared[1])) / 1024
            name = JOBS.get(job[1], job[1])
            peaks[name] = peaks.get(name, 0.0) + mb
    return peaks


def _options() -> dict[str, int]:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=50_000)
    parser.add_argument("--annotators", type=int, default=20)
    parser.add_argument("--answers", type=int, default=15)
    return vars(parser.parse_args())


if __name__ == "__main__":
    main(**_options())
