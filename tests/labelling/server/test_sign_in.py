"""Guessing a password: what slows down, what does not, and what nobody learns.

Requests from 127.0.0.1 may name another address as a proxy does, so each test has its own.
"""

import json
import secrets
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import httpx
import pytest
from alone import ROOT, Alone, alone

from labelling.server import environment
from labelling.services import Services

pytestmark = pytest.mark.server
FREE = 5
FREE_ANYWHERE = 50
DATABASE = "argilla/argilla.db"
HOME = "192.0.2.1"
REFUSED = "Signing in failed too often; wait {}, then try again."
NAMES = iter(f"a{n}" for n in range(100))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Alone]:
    """A server of its own: accounts that failed are of no use to other tests."""
    with alone(tmp_path_factory.mktemp("sign_in"), annotators=20) as server:
        yield server


@pytest.fixture
def services(server: Alone) -> Services:
    return server.services


@pytest.fixture
def account() -> str:
    """The name of an account that nobody tried yet."""
    return next(NAMES)


@pytest.fixture
def elsewhere() -> str:
    """An address that nobody came from yet."""
    return f"198.18.{secrets.randbelow(256)}.{secrets.randbelow(256)}"


def right(name: str) -> str:
    return f"{name}-password"


def attempt(services: Services, name: str, password: str | None, address: str) -> httpx.Response:
    form = {"username": name} | ({"password": password} if password else {})
    said = {"X-Forwarded-For": address}
    return httpx.post(f"{services.argilla_url}/api/v1/token", data=form, headers=said, timeout=60)


def fail(services: Services, name: str, times: int, address: str) -> list[bool]:
    """Fail without a password, which counts and is quick; whether each attempt was let in."""
    statuses = [attempt(services, name, None, address).status_code for _ in range(times)]
    assert set(statuses) <= {422, 429}
    return [status == 422 for status in statuses]


def test_after_failures_one_waits_and_then_the_right_password_works(
    services: Services, account: str, elsewhere: str
) -> None:
    wrong = [attempt(services, account, "wrong", elsewhere) for _ in range(FREE + 1)]
    assert [one.status_code for one in wrong] == [401] * (FREE + 1)
    refused = attempt(services, account, right(account), elsewhere)
    wait = refused.headers["Retry-After"]
    seconds = {"1": "1 second", "2": "2 seconds"}[wait]
    assert (refused.status_code, refused.json()["detail"]) == (429, REFUSED.format(seconds))
    time.sleep(int(wait))
    assert attempt(services, account, right(account), elsewhere).status_code == 201
    assert all(fail(services, account, FREE, elsewhere)), "a success forgets the failures"


def test_each_further_failure_doubles_the_wait(
    services: Services, account: str, elsewhere: str
) -> None:
    fail(services, account, FREE + 1, elsewhere)
    time.sleep(2)
    fail(services, account, 1, elsewhere)
    refused = attempt(services, account, None, elsewhere)
    assert 2 < int(refused.headers["Retry-After"]) <= 4


def test_who_signed_in_from_somewhere_is_not_shut_out_by_others(
    services: Services, account: str, elsewhere: str
) -> None:
    assert attempt(services, account, right(account), HOME).status_code == 201
    assert fail(services, account, FREE + 2, elsewhere)[-1] is False
    assert attempt(services, account, right(account), HOME).status_code == 201
    assert attempt(services, account, right(account), elsewhere).status_code == 429
    assert fail(services, account, FREE + 2, HOME)[-1] is False, "nor may one guess from there"


def test_who_comes_from_a_new_address_gets_in_while_another_guesses(
    services: Services, account: str, elsewhere: str
) -> None:
    assert fail(services, account, FREE + 2, elsewhere)[-1] is False
    assert attempt(services, account, right(account), "203.0.113.1").status_code == 201


def test_many_addresses_that_guess_one_account_are_slowed_and_its_owner_waits_seconds(
    services: Services, account: str
) -> None:
    assert attempt(services, account, right(account), HOME).status_code == 201
    guessers = [f"100.64.{n}.1" for n in range(FREE_ANYWHERE + 4)]
    assert all(fail(services, account, 1, one) == [True] for one in guessers[:FREE_ANYWHERE])
    with ThreadPoolExecutor(4) as pool:
        late = pool.map(lambda one: fail(services, account, 1, one)[0], guessers[FREE_ANYWHERE:])
    assert sum(late) == 1
    assert attempt(services, account, right(account), HOME).status_code == 201
    new = attempt(services, account, right(account), "203.0.113.2")
    assert int(new.headers["Retry-After"]) <= 5
    time.sleep(int(new.headers["Retry-After"]))
    assert attempt(services, account, right(account), "203.0.113.2").status_code == 201


def test_who_is_known_is_not_shut_out_by_a_neighbour_at_the_same_address(
    services: Services, account: str, elsewhere: str
) -> None:
    assert attempt(services, account, right(account), elsewhere).status_code == 201
    assert all(fail(services, f"{account}-{n}", 1, elsewhere) == [True] for n in range(51))
    assert attempt(services, account, right(account), elsewhere).status_code == 201


def test_where_the_server_fails_it_was_no_failure(
    server: Alone, account: str, elsewhere: str
) -> None:
    """A table that is away for a while: no password is looked at."""
    with closing(sqlite3.connect(server.services.accounts_file.parent / DATABASE)) as database:
        database.execute("ALTER TABLE users RENAME TO away")
        answers = [attempt(server.services, account, "x", elsewhere) for _ in range(FREE + 3)]
        database.execute("ALTER TABLE away RENAME TO users")
    assert {one.status_code for one in answers} == {503}
    assert all(fail(server.services, account, FREE + 1, elsewhere))


def test_an_address_that_tries_many_accounts_is_slowed(
    services: Services, account: str, elsewhere: str
) -> None:
    assert all(fail(services, f"{account}-{n}", 1, elsewhere) == [True] for n in range(51))
    assert attempt(services, account, right(account), elsewhere).status_code == 429
    assert attempt(services, account, right(account), HOME).status_code == 201


def test_many_at_once_are_no_way_around(services: Services, account: str, elsewhere: str) -> None:
    with ThreadPoolExecutor(20) as pool:
        answers = pool.map(lambda _: fail(services, account, 1, elsewhere)[0], range(20))
    assert sum(answers) == FREE + 1


def test_nobody_learns_whether_an_account_exists(
    services: Services, account: str, elsewhere: str
) -> None:
    names = (account, f"{account}-nobody")
    first, second = (
        [attempt(services, name, "wrong", elsewhere) for _ in range(FREE)] for name in names
    )
    assert [one.text for one in first] == [one.text for one in second]
    assert [fail(services, name, 2, elsewhere) for name in names] == [[True, False]] * 2
    # A password that is not looked at would take a tenth of the time
    fastest = [min(one.elapsed for one in answers) for answers in (first, second)]
    assert 0.5 < fastest[0] / fastest[1] < 2


@pytest.mark.parametrize(
    ("form", "status"), [({}, 422), ({"password": "x"}, 422), ({"username": "x" * 20_000}, 413)]
)
def test_what_is_no_attempt_is_refused_as_such(
    services: Services, form: dict[str, str], status: int
) -> None:
    answer = httpx.post(f"{services.argilla_url}/api/v1/token", data=form)
    assert answer.status_code == status


KEYS = """
import json, redis, sys
server = redis.from_url(sys.argv[1])
keys = list(server.scan_iter("{gates-sign-in}:*"))
print(json.dumps({key.decode(): server.ttl(key) for key in keys}))
"""


def test_what_is_counted_holds_no_name_and_expires(services: Services, elsewhere: str) -> None:
    fail(services, "somebody", 1, elsewhere)
    kept = json.loads((services.accounts_file.parent / "secrets.json").read_text())
    command = [str(environment.ensure(ROOT)), "-c", KEYS, kept["redis_url"]]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    expires = json.loads(done.stdout)
    assert expires
    assert all(0 < left <= 30 * 24 * 3600 for left in expires.values())
    assert not [key for key in expires if "somebody" in key or elsewhere in key]


def test_sessions_and_counts_survive_a_restart(server: Alone, account: str, elsewhere: str) -> None:
    here = server.services
    token = attempt(here, "owner", right("owner"), HOME).json()["access_token"]
    fail(here, account, FREE + 1, elsewhere)
    server.kill()
    server.start()
    signed_in = {"Authorization": f"Bearer {token}"}
    me = httpx.get(f"{here.argilla_url}/api/v1/me", headers=signed_in)
    assert me.raise_for_status().json()["username"] == "owner"
    assert fail(here, account, 2, elsewhere) == [True, False]
