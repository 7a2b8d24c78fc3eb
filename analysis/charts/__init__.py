"""Charts: the only door to Altair. A table in, a chart out; no arithmetic, no row dropped.

A row is an operating point, as it ran (`points`) or at a threshold (`curve`), or a gate and an
evidence form (`recall_by_form`); of a labelling study a value with its interval (`estimates`), a
day (`drift`), an audit (`audits`), two people's deeds (`confusion`), records (`progress`). Shares
are 0-1, rates per 1,000 assistant turns. A gate keeps its colour and shape as long as the names in
the table stay the same; rows without a place on the axes are named in a line of text.
`use_offline_renderer()` makes charts show in JupyterLab and in exports without any network.
"""

from analysis.charts.estimates import estimates
from analysis.charts.forms import recall_by_form
from analysis.charts.offline import use_offline_renderer
from analysis.charts.points import precision_recall
from analysis.charts.rates import facts_and_wrong
from analysis.charts.watched import audits, confusion, drift, progress

__all__ = [
    "audits",
    "confusion",
    "drift",
    "estimates",
    "facts_and_wrong",
    "precision_recall",
    "progress",
    "recall_by_form",
    "use_offline_renderer",
]
