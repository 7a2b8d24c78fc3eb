"""How a person is called in every table: `a` and eight hex digits that say nothing of the name.

An account's pseudonym is a hash over its id in Argilla, which is random: whoever has the tables
cannot find the name, a new account of an old name is another person, and a pseudonym outlives the
account's name. Standard library only, for it runs in the server's environment, too.
"""

import hashlib
import re
from uuid import UUID

_FORM = re.compile(r"a[0-9a-f]{8}")


def pseudonym(user_id: UUID | str) -> str:
    """The pseudonym of the account with this id.

    >>> pseudonym("00000000-0000-0000-0000-000000000000")
    'a374708ff'
    """
    return "a" + hashlib.sha256(UUID(str(user_id)).bytes).hexdigest()[:8]


def is_pseudonym(name: str) -> bool:
    """Whether the name has the form of a pseudonym; no account may be called so."""
    return _FORM.fullmatch(name) is not None
