"""Plans: how many sessions, candidates and answers give which intervals and which power.

Assumptions are stated or come from a study (`observed`); studies are drawn from them, scored by
the functions that score real ones, and counted (`row`). `plan` makes a table and a sentence of it.
"""

from labelling.plan.assumptions import Assumptions, DesignEffects, GateFigures, supposed
from labelling.plan.command import plan
from labelling.plan.observed import observed, told
from labelling.plan.widths import row

__all__ = [
    "Assumptions",
    "DesignEffects",
    "GateFigures",
    "observed",
    "plan",
    "row",
    "supposed",
    "told",
]
