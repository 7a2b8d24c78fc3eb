"""The labelling side's commands: thin wrappers around working functions of this package."""

from labelling.cli.audits import (
    adjudicate_pull,
    adjudicate_push,
    audit_draw,
    audit_push,
    audit_score,
)
from labelling.cli.labels import agreement, pool, pull, push, reference_, status
from labelling.cli.options import Json, Study
from labelling.cli.people import accounts_add, accounts_list, accounts_remove, accounts_reset
from labelling.cli.plan import plan
from labelling.cli.safety import backup_, move, restore_
from labelling.cli.transcripts import ingest, simulate

__all__ = [
    "Json",
    "Study",
    "accounts_add",
    "accounts_list",
    "accounts_remove",
    "accounts_reset",
    "adjudicate_pull",
    "adjudicate_push",
    "agreement",
    "audit_draw",
    "audit_push",
    "audit_score",
    "backup_",
    "ingest",
    "move",
    "plan",
    "pool",
    "pull",
    "push",
    "reference_",
    "restore_",
    "simulate",
    "status",
]
