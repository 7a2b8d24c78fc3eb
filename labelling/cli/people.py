"""Who may sign in."""

from typing import Annotated

from cyclopts import Parameter

from labelling import accounts, removal
from labelling.cli.options import Json
from labelling.console import Outcome


def accounts_add(name: str, /, *names: str, role: str = "annotator", json: Json = False) -> Outcome:
    """Make accounts with new passwords, which are printed and kept in the accounts file.

    Parameters
    ----------
    name
        What the person signs in with: letters, digits, and . _ @ + - after the first.
    names
        The names of others, who get an account of the same role; all are made, or none is.
    role
        annotator labels; admin manages datasets; owner may do everything.
    """
    return accounts.add_all([name, *names], role)


def accounts_reset(name: str, /, *, json: Json = False) -> Outcome:
    """Give an account a new password.

    Parameters
    ----------
    name
        Whose.
    """
    return accounts.reset(name)


def accounts_list(*, json: Json = False) -> Outcome:
    """Who may sign in, and the pseudonym that stands in the tables."""
    return accounts.list_()


def accounts_remove(
    name: str, /, *, erase: Annotated[bool, Parameter(negative="")] = False, json: Json = False
) -> Outcome:
    """Remove somebody: nobody signs in so any more, the answers stay under the pseudonym.

    Parameters
    ----------
    name
        Whom; with `--erase` also the pseudonym of somebody removed before.
    erase
        Erase the answers, too: in Argilla, its history and every study; prints what is no longer
        complete then.
    """
    return removal.remove(name, erase=erase)
