"""Where a record stands in Argilla's page: an address that opens the page at one candidate.

Argilla's page knows no address of a record; it opens at a search. A candidate's own words, in a
row, find it (and its like, where two have the same). They are looked for in the judges' dataset,
where there is one, else among what whoever opens it has submitted.
"""

import re
from collections.abc import Iterable
from urllib.parse import quote

from labelling import client
from labelling.rounds.held import CANDIDATES, name_of
from labelling.tables import InputError, read
from labelling.tasks import one_form
from labelling.workspaces import ADJUDICATION, of_judges

MOST_WORDS = 30
_BROKEN = re.compile(r"""[&<>"'$#]""")
"""What stands as an entity in a record, so no phrase goes across it."""


def links(study: str, candidate_ids: Iterable[str]) -> dict[str, str]:
    """candidate_id -> address, of those that Argilla has; none where it does not run."""
    wanted = set(candidate_ids)
    try:
        there = _datasets(study)
    except InputError:
        return {}
    found = {}
    for row in read(study, "candidates").iter_rows(named=True):
        own, judged = there.get(name_of(CANDIDATES, row["round"])), there.get(ADJUDICATION)
        if row["candidate_id"] in wanted and (own or judged):
            status = "pending" if judged else "submitted"
            found[row["candidate_id"]] = address(judged or own or "", status, row["statement"])
    return found


def address(page: str, status: str, statement: str) -> str:
    """The page of a dataset, opened at a statement."""
    pieces = [re.findall(r"[^\W_]+", piece) for piece in _BROKEN.split(one_form(statement))]
    words = max(pieces, key=len)[:MOST_WORDS]
    # the page writes spaces as underscores, and the field to search after a tilde
    phrase = quote('"' + "_".join(words) + '"~statement', safe="~")
    return f"{page}?page=1&status={status}&search={phrase}"


def _datasets(study: str) -> dict[str, str]:
    """Name of a dataset -> address of its page."""
    with client.connect() as argilla:
        found = {}
        for name in (study, of_judges(study)):
            if workspace := client.workspace_id(argilla, name):
                for dataset, one in client.server_datasets(argilla, workspace).items():
                    found[dataset] = f"{argilla.url}/dataset/{one['id']}/annotation-mode"
        return found
