"""`gates accounts remove`: out of Argilla, the studies and the file of names.

The answers stay, under the pseudonym, or all of them go. It can be cut short and run again; where
Argilla does not run, its next start does its part.
"""

import shlex
from collections.abc import Iterator

from labelling import client, withdrawal
from labelling.accounts import Door, check_known, door
from labelling.console import Outcome, amount
from labelling.pseudonyms import is_pseudonym
from labelling.server import account_file, whereabouts
from labelling.tables import InputError, named_people
from labelling.tables.people import forget
from labelling.withdrawal import Withdrawn


def remove(name: str, *, erase: bool) -> Outcome:
    """Remove an account. Raises InputError for an unknown one and for the last owner.

    A pseudonym names somebody who was removed before; that is of use with `erase`.
    """
    with door() as there:
        roles, known = there.roles(), named_people()
        check_known(name, [*roles, *known.values(), *there.hidden()])
        if [other for other, role in roles.items() if role == "owner"] == [name]:
            then = "make another one first, by `gates accounts add NAME --role owner`"
            raise InputError(f"{name!r} is the last owner", then=then)
        aliases = [alias for alias, whose in known.items() if whose == name]
        aliases += [name] if is_pseudonym(name) else []
        return (_erase if erase else _hide)(there, name, aliases)


def _hide(there: Door, name: str, aliases: list[str]) -> Outcome:
    withdrawal.refuse_named(name, aliases)
    _out_of_argilla(there, name, erase=False)
    withdrawal.hide(name, aliases)
    forget(name)
    elsewhere = _elsewhere(there)
    return Outcome(
        f"{name} is removed and cannot sign in; the answers stay, under "
        f"{' and '.join(aliases) or 'no pseudonym: there were none'}{_but(elsewhere)}",
        text=f"  nothing {'else ' if elsewhere else ''}here tells any more whose they are; backups "
        "from before do",
        then="; ".join(filter(None, [*_deletions(elsewhere), there.later])),
        details={"pseudonyms": aliases, "left_over": elsewhere},
    )


def _erase(there: Door, name: str, aliases: list[str]) -> Outcome:
    opened = _out_of_argilla(there, name, erase=True)
    done = withdrawal.erase(name, aliases)
    forget(name)
    lines = [line for one in done for line in _in_words(one)]
    lines += [f"  Argilla {where}: {_open(n)} open again" for where, n in opened.items()]
    again = [step for one in done for step in _again(one)]
    elsewhere = _elsewhere(there)
    return Outcome(
        f"{name} is removed, and every answer with the account{_but(elsewhere)}",
        text="\n".join([*lines, "  backups from before still hold the answers: delete those"]),
        then="; ".join(filter(None, [*_deletions(elsewhere), there.later, *again])),
        details={
            "opened_in_argilla": opened,
            "studies": [_plain(one) for one in done],
            "left_over": elsewhere,
        },
    )


def _elsewhere(there: Door) -> list[str]:
    """Files of the database from before it was moved, which nobody is removed from."""
    state = client.accounts_file().parent
    return [str(file) for file in whereabouts.left_over(state)] if there.ours else []


def _but(elsewhere: list[str]) -> str:
    if not elsewhere:
        return ""
    return f", but {elsewhere[0]}, from before the move to PostgreSQL, still holds all of it"


def _deletions(elsewhere: list[str]) -> list[str]:
    return [f"rm {' '.join(map(shlex.quote, elsewhere))}"] if elsewhere else []


def _out_of_argilla(there: Door, name: str, *, erase: bool) -> dict[str, int]:
    """Take the account out of the file and Argilla; records that are open again, by dataset."""
    waiting = account_file.removals(client.accounts_file())
    others = account_file.read(waiting) if there.ours else {}
    erase = erase or others.pop(name, False)
    if there.ours:
        # First what is to be done: should this end here, the next start does it.
        account_file.write(waiting, {**others, name: erase})
        there.keep({other: one for other, one in there.kept.items() if other != name})
    if there.argilla is None:
        return {}
    opened: dict[str, int] = {}
    if name in client.users(there.argilla).values():
        opened = client.remove_user(there.argilla, name, erase=erase)["opened"]
    if there.ours:
        account_file.write(waiting, others)
    return opened


def _open(n: int) -> str:
    return f"{amount(n, 'record')} {'is' if n == 1 else 'are'}"


def _in_words(one: Withdrawn) -> Iterator[str]:
    rows = ", ".join(f"{amount(n, 'row')} of {table}" for table, n in one.struck.rows.items())
    yield f"  study {one.study}: {rows or 'no rows'} erased"
    if one.struck.removed:
        gone = ", ".join(one.struck.removed)
        yield f"    {gone} named the person and went, too: make them again from what is left"
    if one.reopened:
        have = "has" if one.reopened == 1 else "have"
        candidates = amount(one.reopened, "candidate")
        yield f"    {candidates} {have} fewer than two complete answers now"


def _again(one: Withdrawn) -> Iterator[str]:
    """What makes anew the tables that rested on the answers."""
    if one.struck.rows.keys() - {"audit_labels"} or not one.struck.rows:
        yield f"gates reference --study {one.study}, then gates score"
    if "audit_labels" in one.struck.rows:
        yield f"gates audit score --study {one.study}"


def _plain(one: Withdrawn) -> dict[str, object]:
    return {
        "study": one.study,
        "rows": one.struck.rows,
        "removed": one.struck.removed,
        "reopened_candidates": one.reopened,
    }
