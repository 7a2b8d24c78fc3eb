"""Every table of the workspace: its schema, where it lives, how it is read and written.

A study is a folder `<data>/<study>/` that holds one Parquet file a table. Times are UTC, shares
0-1, offsets count Unicode code points, `turn` is the 0-based position in the session.
"""

from labelling.tables.errors import InputError
from labelling.tables.files import atomic, replace_file, write_text
from labelling.tables.identity import (
    claim_key,
    content_id,
    fact_key,
    normalise,
    scope_parts,
    split_of,
)
from labelling.tables.lock import locked, writing
from labelling.tables.people import alias, named_people
from labelling.tables.schemas import SCHEMA_VERSION, SCHEMAS, columns, empty, frame
from labelling.tables.store import (
    SIMULATED,
    Failures,
    check,
    data_folder,
    exists,
    made_from,
    metadata,
    read,
    read_sound,
    root_folder,
    simulated,
    stale,
    studies,
    study_folder,
    table_path,
    write,
)

__all__ = [
    "SCHEMAS",
    "SCHEMA_VERSION",
    "SIMULATED",
    "Failures",
    "InputError",
    "alias",
    "atomic",
    "check",
    "claim_key",
    "columns",
    "content_id",
    "data_folder",
    "empty",
    "exists",
    "fact_key",
    "frame",
    "locked",
    "made_from",
    "metadata",
    "named_people",
    "normalise",
    "read",
    "read_sound",
    "replace_file",
    "root_folder",
    "scope_parts",
    "simulated",
    "split_of",
    "stale",
    "studies",
    "study_folder",
    "table_path",
    "write",
    "write_text",
    "writing",
]
