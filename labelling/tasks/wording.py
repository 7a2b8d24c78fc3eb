"""Statements in one form, whatever route they came on: nothing that could change the meaning.

White space runs to one space, typographic quotes are straight, and a single full stop at the end is
off (a question mark or dots stay). Words, case and order are as they were.
"""

import re

_STRAIGHT = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "‚": "'"})
_FULL_STOP = re.compile(r"(?<=[^.\s])\.$")


def one_form(statement: str) -> str:
    """The statement as every annotator sees it.

    >>> one_form("Wants  weeks to start on “Monday”."), one_form("and then...")
    ('Wants weeks to start on "Monday"', 'and then...')
    """
    return _FULL_STOP.sub("", " ".join(statement.translate(_STRAIGHT).split()))
