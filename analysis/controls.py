"""What is clicked in a notebook: the only door to ipywidgets.

`linking` shows one open pair at a time: a row of `analysis.match.doubtful` on which `who` has said
nothing yet. Each word is kept at once, in table `links`. Transcripts are untrusted: all that is
shown is escaped by `analysis.summary`.
"""

import os

import ipywidgets as widgets  # type: ignore[import-untyped]
import polars as pl

from analysis.links import decide, links
from analysis.match import doubtful, offered
from analysis.score import OFFERED, UPSTREAM
from analysis.summary import sentence, table
from analysis.truth import headline
from labelling.tables import InputError, alias, read

PAIR = ["proposal_id", "fact_id"]
COMPARED = ("statement", "quote", "kind", "scope", "slot", "value", "polarity", "expires_at")
BUTTONS = {"Same fact": True, "Not the same": False, "Skip": None}


def linking(study: str, *, who: str | None = None) -> widgets.Widget:
    """Buttons that decide a study's doubtful pairs, in the name of `who` (else of USER).

    Raises InputError for a study that was not scored.
    """
    read(study, "operating_points")
    return _Linking(study, who or os.environ.get("USER") or "researcher").box


class _Linking:
    """One person at the pairs. The buttons stay the same ones, so the keyboard's focus stays."""

    def __init__(self, study: str, who: str) -> None:
        self.study, self.who, self.alias = study, who, alias(who)
        self.tables = {name: read(study, name) for name in UPSTREAM}
        self.skipped: list[tuple[str, str]] = []
        self.pair: tuple[str, str] | None = None
        self.shown = widgets.HTML()
        self.buttons = widgets.HBox([self._button(*one) for one in BUTTONS.items()])
        self.box = widgets.VBox([self.shown, self.buttons])
        self._show()

    def _button(self, words: str, same: bool | None) -> widgets.Button:
        button = widgets.Button(description=words)
        button.on_click(lambda _: self._press(same))
        return button

    def _press(self, same: bool | None) -> None:
        """Keep a word on the pair or skip it; a press that comes after the last one is nothing."""
        problem = ""
        if self.pair and same is None:
            self.skipped.append(self.pair)
        elif self.pair and same is not None:
            problem = self._kept(self.pair, same)
        self._show(problem)

    def _kept(self, pair: tuple[str, str], same: bool) -> str:
        try:
            decide(self.study, *pair, same, self.who)
        except InputError as error:
            return sentence(f"Not kept: {error}").html
        return ""

    def _show(self, problem: str = "") -> None:
        """The first pair that is open now: a word on one pair may settle others."""
        self.tables["links"] = words = links(self.study)
        mine = words.filter(annotator=self.alias)
        pairs = doubtful(offered(**{n: self.tables[n] for n in OFFERED}), headline(self.tables))
        rows = pairs.join(mine, on=PAIR, how="anti", maintain_order="left").rows()
        ahead = [row for row in rows if row[:2] not in self.skipped]
        self.pair = ahead[0][:2] if ahead else None
        self.buttons.layout.display = "flex" if ahead else "none"
        asked = self._question(*ahead[0], left=len(ahead)) if ahead else ""
        self.shown.value = problem + asked + sentence(self._said(mine["same"], not ahead)).html

    def _question(self, proposal_id: str, fact_id: str, why: str, *, left: int) -> str:
        """HTML: the record and the fact side by side, and what is in doubt."""
        record = self.tables["proposals"].filter(proposal_id=proposal_id).select(COMPARED)
        fact = self.tables["candidates"].filter(candidate_id=fact_id).select(COMPARED)
        both = pl.concat([record.cast(pl.String), fact.cast(pl.String)]).transpose(
            include_header=True, header_name="detail", column_names=["record", "fact"]
        )
        asked = f"Pairs left: {left:,}. Does the record say what the fact says? In doubt: {why}."
        return sentence(asked).html + table(both).html

    def _said(self, same: pl.Series, ended: bool) -> str:
        """What this person decided so far and, at the end, what to do next."""
        if ended and not (same.len() or self.skipped):
            return f"There is no doubtful pair in study {self.study!r}."
        yes, skipped = int(same.sum()), len(self.skipped)
        said = f"{self.who} said so far: {yes:,} the same, {same.len() - yes:,} not the same."
        later = f" Skipped: {skipped:,}; run this cell again to see them." if skipped else ""
        then = f" No pair is left: run `gates score --study {self.study}`." if ended else ""
        return said + later + then
