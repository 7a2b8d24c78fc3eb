"""`gates accounts add/reset/list`: who may sign in.

Argilla is told at once where it runs, else at its next start, from the accounts file. Another
server (GATES_ARGILLA_URL) is told at once, and its passwords are kept nowhere.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

from labelling import client
from labelling.client import Argilla
from labelling.console import Outcome, amount
from labelling.pseudonyms import is_pseudonym
from labelling.server import account_file
from labelling.server.account_file import ROLES, Accounts
from labelling.server.environment import locked
from labelling.server.processes import ServiceFailure
from labelling.server.state import make_folder
from labelling.tables import InputError, named_people
from labelling.tables.people import remember

LET_IN = "gates push --study STUDY, once everybody has an account: it lets them into the study"
LATER = "Argilla does not run: it takes this over at its next start (`gates up`)"


@dataclass
class Door:
    """Argilla where it runs, and the accounts our own server starts with (`kept`)."""

    argilla: Argilla | None
    kept: Accounts
    ours: bool

    def in_argilla(self) -> dict[str, str]:
        """Name -> role; pseudonyms are written down on the way."""
        if self.argilla is None:
            return {}
        remember(client.users(self.argilla))
        return client.roles(self.argilla)

    def roles(self) -> dict[str, str]:
        """Name -> role of every account there is."""
        return {name: one["role"] for name, one in self.kept.items()} | self.in_argilla()

    def hidden(self) -> list[str]:
        """The pseudonyms of people who were removed and whose answers stay."""
        names = client.users(self.argilla).values() if self.argilla else ()
        return [name for name in names if is_pseudonym(name)]

    def keep(self, accounts: Accounts) -> None:
        """Write the accounts file, where it is ours to write."""
        self.kept = accounts
        if self.ours:
            account_file.write(client.accounts_file(), accounts)

    @property
    def later(self) -> str:
        """A sentence where Argilla knows nothing of it yet."""
        return "" if self.argilla else LATER


@contextmanager
def door() -> Iterator[Door]:
    """One at a time, and not while a start reads the accounts. Raises InputError."""
    try:
        if client.elsewhere():
            with client.connect() as argilla:
                yield Door(argilla, {}, ours=False)
            return
        with locked(make_folder(client.accounts_file().parent)):
            kept = account_file.keep(client.accounts_file())
            with client.connect_if_running() or nullcontext() as running:
                yield Door(running, kept, ours=True)
    except ServiceFailure as failure:
        raise InputError(str(failure)) from failure


def add(name: str, role: str) -> Outcome:
    """Make an account with a new password. Raises InputError."""
    return add_all([name], role)


def add_all(names: Sequence[str], role: str) -> Outcome:
    """Make accounts with new passwords: every name is looked at before the first is made.

    Raises InputError.
    """
    if role not in ROLES:
        raise InputError(f"there is no role {role!r}", expected=f"one of: {', '.join(ROLES)}")
    with door() as there:
        taken = list(there.roles())
        made: Accounts = {}
        for name in map(account_file.check_name, names):
            _refuse_taken(name, [*taken, *made])
            made[name] = {"password": account_file.password(), "role": role}
        there.keep({**there.kept, **made})
        if there.argilla:
            for name, account in made.items():
                client.create_user(there.argilla, name, account["password"], role)
        done = f"{amount(len(made), 'account')} made ({role}): {', '.join(made)}"
        passwords = {name: account["password"] for name, account in made.items()}
        return _with_passwords(there, done, passwords, LET_IN if role == "annotator" else "")


def reset(name: str) -> Outcome:
    """Give an account a new password. Raises InputError for an unknown one."""
    with door() as there:
        roles = there.roles()
        check_known(name, roles)
        password = account_file.password()
        there.keep({**there.kept, name: {"password": password, "role": roles[name]}})
        if there.argilla:
            client.set_password(there.argilla, name, password)
        then = "a session that is open stays open, for a day at most"
        done = f"Account {name} has a new password"
        return _with_passwords(there, done, {name: password}, then)


def list_() -> Outcome:
    """Every account: its role, and its pseudonym once Argilla knows it."""
    with door() as there:
        roles = there.roles()
        known = {name: alias for alias, name in named_people().items()}
        rows = [
            {"name": name, "role": role, "pseudonym": known.get(name)}
            for name, role in roles.items()
        ]
        file = client.accounts_file()
        return Outcome(
            amount(len(rows), "account"),
            text="\n".join(
                f"  {row['name']} ({row['role']}): {row['pseudonym'] or 'no pseudonym yet'}"
                for row in rows
            ),
            where=f"passwords in {file}, pseudonyms beside it" if there.ours else "",
            then=there.later,
            details={"accounts": rows},
        )


def check_known(name: str, there: Iterable[str]) -> None:
    """Raise InputError for a name that is not among those there are."""
    if name not in there:
        raise InputError(
            f"there is no account {name!r}",
            expected=f"one of: {', '.join(sorted(set(there)))}",
            then="an account that was made in Argilla's page is known while Argilla runs",
        )


def _refuse_taken(name: str, there: Iterable[str]) -> None:
    for other in there:
        if other.casefold() == name.casefold():
            raise InputError(
                f"there is an account {other!r} already",
                then=f"choose another name, or run `gates accounts reset {other}` for a new "
                "password",
            )


def _with_passwords(there: Door, did: str, passwords: dict[str, str], then: str) -> Outcome:
    one = len(passwords) == 1
    kept = f"the {'password stands' if one else 'passwords stand'}"
    width = max(map(len, passwords))
    first = next(iter(passwords.items())) if one else None
    return Outcome(
        did,
        text="\n".join(f"  {name:{width}}  {secret}" for name, secret in passwords.items()),
        where=f"{kept} in {client.accounts_file()}"
        if there.ours
        else f"{kept} nowhere else: note {'it' if one else 'them'} now",
        then="; ".join(filter(None, [there.later, then])),
        details={
            "passwords": passwords,
            **({"name": first[0], "password": first[1]} if first else {}),
        },
    )
