"""Promotion: when observations add up to a claim about a user, and what a stricter rule changes.

`promote` answers for one rule on one day, `grid` for many rules on one day, `history` for many
rules on every day. Definitions: DESIGN section 5; chapter 2.
"""

from analysis.promotion.grid import grid
from analysis.promotion.guards import GUARDS, promote
from analysis.promotion.history import history
from analysis.promotion.prepared import Prepared, prepare
from analysis.promotion.rule import RECOMMENDED, PromotionRule

__all__ = [
    "GUARDS",
    "RECOMMENDED",
    "Prepared",
    "PromotionRule",
    "grid",
    "history",
    "prepare",
    "promote",
]
