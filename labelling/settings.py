"""Which gate and setting a name on the command line means: `gate`, or `gate/setting`."""

import polars as pl

from labelling.tables import InputError


def one_setting(name: str, there: pl.DataFrame, study: str) -> tuple[str, str]:
    """The one of the pairs in `there` (gate, setting) that a name means; raises InputError."""
    pairs: list[tuple[str, str]] = sorted(there.select("gate", "setting").unique().iter_rows())
    meant = [pair for pair in pairs if name in (pair[0], "/".join(pair))]
    if len(meant) == 1:
        return meant[0]
    known = ", ".join("/".join(pair) for pair in meant or pairs) or "none yet"
    raise InputError(
        f"study {study!r} has {len(meant) or 'no'} settings with records under the name {name!r}",
        expected=f"one of: {known}",
        then=f"name it, or run `gates replay --gate {name} --study {study}`",
    )
