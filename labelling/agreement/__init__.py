"""How far annotators agree: statistics, their intervals, table `agreement`, and what they split on.

`statistics` compares two sequences of answers, `krippendorff_alpha` and `gwet_ac1` any number;
`agreement_rows` makes the table from labels; `splits`, `confusion` and `deciding` tell what people
split on. All of it counts answers, gives None with a reason
where nothing is defined, and has no verdict word. How far the intervals hold: docs/agreement.md.
"""

from labelling.agreement.pairs import Agreement, statistics
from labelling.agreement.several import gwet_ac1, krippendorff_alpha
from labelling.agreement.splits import confusion, deciding, splits
from labelling.agreement.table import agreement_rows

__all__ = [
    "Agreement",
    "agreement_rows",
    "confusion",
    "deciding",
    "gwet_ac1",
    "krippendorff_alpha",
    "splits",
    "statistics",
]
