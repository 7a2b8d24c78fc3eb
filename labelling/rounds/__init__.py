"""A labelling round there and back: `candidates` -> Argilla -> `labels`.

Argilla's workspace is the study, its dataset `candidates-r<round>`. Both directions can be stopped
at any point and run again: a record is found by its candidate_id, and a table is written whole.
"""

from labelling.rounds.addresses import links
from labelling.rounds.fetching import adopt, pull
from labelling.rounds.sending import SHOWN_AGAIN, push
from labelling.rounds.watching import look_now, status, watch

__all__ = ["SHOWN_AGAIN", "adopt", "links", "look_now", "pull", "push", "status", "watch"]
