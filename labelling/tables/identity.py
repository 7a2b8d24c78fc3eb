"""What makes two rows the same: normalised statements, content ids, the split of a user."""

import hashlib
import json
import re
import unicodedata

_FINAL = re.compile(r"[\s.!?,;:…]+$")


def normalise(statement: str) -> str:
    """NFKC, casefold, white space runs to one space, final punctuation off.

    >>> normalise("Uses  BigQuery.")
    'uses bigquery'
    """
    text = unicodedata.normalize("NFKC", statement).casefold()
    return _FINAL.sub("", " ".join(text.split()))


def content_id(*parts: object) -> str:
    """First 16 hex digits of the SHA-256 over the parts (as JSON, so None differs from "None")."""
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def claim_key(statement: str, slot: str | None, value: str | None) -> tuple[str, ...]:
    """What a claim says: slot and value where both are known, else the normalised statement."""
    if slot is not None and value is not None:
        return ("slot", normalise(slot), normalise(value))
    return ("statement", normalise(statement))


def fact_key(
    user_id: str, statement: str, slot: str | None, value: str | None, scope: str | None
) -> str:
    """Ties restatements of a fact: hash over user, slot and value (or statement), scope."""
    return content_id(user_id, claim_key(statement, slot, value), scope)


def scope_parts(scope: str) -> tuple[str, str]:
    """`global` -> ("global", ""); `<what>:<name>` -> (what, name)."""
    what, _, name = scope.partition(":")
    return what, name


def split_of(user_id: str) -> str:
    """`test` when int(sha256(user_id).hexdigest()[:8], 16) is even, else `dev`."""
    digest = hashlib.sha256(user_id.encode("utf-8", "surrogatepass")).hexdigest()
    return "test" if int(digest[:8], 16) % 2 == 0 else "dev"
