"""A labelling round there and back: `candidates` -> Argilla -> `labels`.

Argilla's workspace is the study, its dataset `candidates-r<round>`. Both directions can be stopped
at any point and run again: a record is found by its candidate_id, and a table is written whole.
"""

from labelling.rounds.fetching import adopt, pull
from labelling.rounds.progress import status
from labelling.rounds.sending import push

__all__ = ["adopt", "pull", "push", "status"]
