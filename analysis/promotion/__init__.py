"""Promotion: when observations add up to a claim about a user, and what a stricter rule changes.

`promote` answers for one rule on one day. Definitions: DESIGN section 5; chapter 2.
"""

from analysis.promotion.guards import GUARDS, promote
from analysis.promotion.rule import RECOMMENDED, PromotionRule

__all__ = ["GUARDS", "RECOMMENDED", "PromotionRule", "promote"]
