"""Audits of a live store: draw records, score two people's answers, watch the wrong share.

A record is something that a store remembers of a user. `draw` takes a random sample of them into
`audit_records`; `push` has two people judge them in Argilla; `score` turns answers into `audits`:
the share of wrong records beside the rate at which users corrected theirs, and an alarm that may be
looked at after every audit.
"""

from labelling.audit.alarm import alarms
from labelling.audit.asking import push
from labelling.audit.drawing import draw
from labelling.audit.scoring import score

__all__ = ["alarms", "draw", "push", "score"]
