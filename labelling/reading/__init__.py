"""Sessions that two people read whole: which ones, as what text, and what becomes of their marks.

A session is drawn when its hash / 2^64 < p, so removing a person changes nobody else's draw. What
either reader marked becomes a candidate; two readers' marks also tell how much both missed.
"""

from labelling.reading.draws import LONGEST, READ_P, Draw, draw, drawn_sessions, still_to_read
from labelling.reading.found import absorbed, found
from labelling.reading.missed import Missed, missed
from labelling.reading.pages import Page, Stretch, page, passages
from labelling.reading.weights import reweighed, with_origins

__all__ = [
    "LONGEST",
    "READ_P",
    "Draw",
    "Missed",
    "Page",
    "Stretch",
    "absorbed",
    "draw",
    "drawn_sessions",
    "found",
    "missed",
    "page",
    "passages",
    "reweighed",
    "still_to_read",
    "with_origins",
]
