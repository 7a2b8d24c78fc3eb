"""What all charts and tables of one notebook share: the study, its warning, its gates' looks.

Charts and tables take it as `about`; with it each says by itself what its study cannot show, and a
gate looks the same in all of them, whatever part of the gates one shows.
"""

from dataclasses import dataclass

import polars as pl

from labelling.tables import simulated

SAMPLE = "labels by the sample's own authors: it shows the machinery, it is no evidence about gates"
WORLD = "a simulated world with known truth: its figures are no evidence about any gate"
IN_WORLD = ", in a simulated world"

Gate = tuple[str, str]
"""Gate and setting."""


@dataclass(frozen=True)
class About:
    """`gates` in the order of their colours; `warning`: why the study says nothing about gates."""

    study: str = ""
    gates: tuple[Gate, ...] = ()
    warning: str = ""

    def basis(self, basis: str) -> str:
        """A basis in words: in a simulated world, what ran live did not run on people."""
        return basis + IN_WORLD * (self.warning == WORLD)

    @property
    def sentence(self) -> str:
        """The warning as a sentence, "" where there is none."""
        return f"{self.warning[:1].upper()}{self.warning[1:]}." if self.warning else ""


NO_STUDY = About()


def about(study: str, points: pl.DataFrame) -> About:
    """The study with all gates of its operating points (or of any table with gate and setting)."""
    gates = points.select("gate", "setting").unique().sort("gate", "setting")
    return About(study, tuple(gates.iter_rows()), no_evidence(study))


def no_evidence(study: str) -> str:
    """Why the study says nothing about gates, "" where it does."""
    if study == "sample":
        return SAMPLE
    return WORLD if simulated(study) else ""
