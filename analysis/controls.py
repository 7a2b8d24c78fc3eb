"""What is clicked in a notebook: the only door to ipywidgets.

`monitoring` shows a labelling study and looks again every few seconds.

`linking` shows one open pair at a time: a row of `analysis.match.doubtful` on which the person
named in the field has said nothing yet. Each word is kept at once, in table `links`, and can be
taken back. Transcripts are untrusted: all that is shown is escaped by `analysis.summary`.
"""

import asyncio
import getpass
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets  # type: ignore[import-untyped]
import polars as pl

from analysis.about import NO_STUDY, About
from analysis.agreed import ANSWERS, STATISTICS
from analysis.figures import share, span
from analysis.links import decide, links, take_back
from analysis.match import doubtful, offered
from analysis.score import OFFERED, UPSTREAM
from analysis.summary import alert, passage, sentence, sentences, table
from analysis.truth import headline
from labelling.tables import InputError, named_people, read

PAIR = ["proposal_id", "fact_id"]
COMPARED = ("statement", "quote", "kind", "scope", "slot", "value", "polarity", "expires_at")
SAID = ("session_id", "turn", "evidence")
BUTTONS = {"Same fact": True, "Not the same": False, "Skip": None}
BACK, TURNS = "Take back the last answer", "Show the turns"
AROUND = 3
"""Turns before and after those that the record or the fact rests on."""
NOBODY = ("", "root", "jovyan")
"""Names that many people share on servers."""


def monitoring(
    look: Callable[[], dict[str, Any]], *, every: float = 10.0, about: About = NO_STUDY
) -> widgets.Widget:
    """How a study stands, looked at again every so many seconds until it is done or paused.

    `look` tells it as `labelling.rounds.look_now` does; an error of a later look is shown, and
    the next one tried.
    """
    return _Monitor(look, every, about).box


class _Monitor:
    """One view that is filled anew; what is read out is the line on top alone."""

    def __init__(self, look: Callable[[], dict[str, Any]], every: float, about: About) -> None:
        self.look, self.every, self.about = look, every, about
        self.heard, self.shown = widgets.HTML(), widgets.HTML()
        self.again = widgets.ToggleButton(True, description="Looks again by itself")
        self.again.layout.width = "auto"
        self.now = widgets.Button(description="Look now")
        self.now.on_click(lambda _: self._show(self._told()))
        self.again.observe(lambda _: self._go_on(), "value")
        tools = widgets.HBox([self.now, self.again])
        self.box = widgets.VBox([tools, self.heard, self.shown])
        self._show(look())
        self._go_on()

    def _go_on(self) -> None:
        """Look again in the kernel's loop; without one (a plain program) only on request."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        if self.again.value:
            self.task = loop.create_task(self._keep_looking())

    async def _keep_looking(self) -> None:
        while self.again.value:
            await asyncio.sleep(self.every)
            if self.again.value:
                told = await asyncio.get_running_loop().run_in_executor(None, self._told)
                self._show(told)

    def _told(self) -> dict[str, Any] | str:
        try:
            return self.look()
        except (InputError, OSError) as error:
            return f"{error}; looking again in {self.every:g} s"

    def _show(self, told: dict[str, Any] | str) -> None:
        if isinstance(told, str):
            self.heard.value = alert(told).html
            return
        if told["done"] or told["source"] != "Argilla":
            self.again.value = False  # nothing is on its way
        why = f" ({told['away']})" if "away" in told else ""
        at = told["at"][:16].replace("T", " ")
        self.heard.value = sentence(f"From {told['source']} at {at} UTC{why}.").html
        records = _frame(told["rounds"]).rename(ANSWERS, strict=False)
        tables = [records, _frame(told["people"]), _agreement(told["agreement"])]
        parts = [table(one, otherwise="Nobody has answered yet.") for one in tables]
        said = sentences(told["said"], "Nothing to say yet.", about=self.about)
        self.shown.value = "".join(part.html for part in (*parts, said))


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, infer_schema_length=None)


def _agreement(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """What to write, all candidates: each statistic with interval and n, or why there is none."""
    return pl.DataFrame(
        {
            "agreement": [STATISTICS[row["statistic"]] for row in rows],
            "value": [share(row["value"]) for row in rows],
            "interval": [span(row["low"], row["high"]) for row in rows],
            "pairs": [row["n"] for row in rows],
            "reason": [row["reason"] or "" for row in rows],
        }
    )


def linking(study: str, *, who: str | None = None) -> widgets.Widget:
    """Buttons that decide a study's doubtful pairs, in the name in the field.

    `who` stands there first, else the system user, where that is one person's name. Raises
    InputError for a study that was not scored.
    """
    read(study, "operating_points")
    return _Linking(study, _user() if who is None else who).box


def _user() -> str:
    """Who is at the machine, "" where that cannot be told."""
    try:
        found = getpass.getuser()
    except (KeyError, OSError):
        return ""
    return "" if found in NOBODY else found


class _Linking:
    """One person at the pairs. The buttons stay the same ones, so the keyboard's focus stays."""

    def __init__(self, study: str, who: str) -> None:
        self.study = study
        self.tables = {name: read(study, name) for name in UPSTREAM}
        self.skipped: list[tuple[str, str]] = []
        self.pair: tuple[str, str] | None = None
        self.name = widgets.Text(who, description="Your name", continuous_update=False)
        self.heard, self.shown, self.around = widgets.HTML(), widgets.HTML(), widgets.HTML()
        self.answers = widgets.HBox([self._button(*one) for one in BUTTONS.items()])
        self.back = widgets.Button(description=BACK, layout={"width": "auto"})
        self.turns = widgets.ToggleButton(description=TURNS)
        self.back.on_click(lambda _: self._take_back())
        self.name.observe(lambda _: self._show(), "value")
        self.turns.observe(lambda _: self._show_turns(), "value")
        tools = widgets.HBox([self.turns, self.back])
        parts = [self.name, self.shown, self.answers, tools, self.around, self.heard]
        self.box = widgets.VBox(parts)
        self._show()

    @property
    def who(self) -> str:
        return str(self.name.value).strip()

    def _button(self, words: str, same: bool | None) -> widgets.Button:
        button = widgets.Button(description=words)
        button.on_click(lambda _: self._press(words, same))
        return button

    def _press(self, words: str, same: bool | None) -> None:
        """Keep a word on the pair or skip it; a press that comes after the last one is nothing."""
        if not self.pair:
            return
        if same is None:
            self.skipped.append(self.pair)
            self._show("Skipped.")
        else:
            self._show(self._kept(self.pair, words, same))

    def _kept(self, pair: tuple[str, str], words: str, same: bool) -> str:
        try:
            decide(self.study, *pair, same, self.who)
        except InputError as error:
            return f"Not kept: {error}."
        return f"Kept: {words.lower()}, says {self.who}."

    def _take_back(self) -> None:
        """Undo this person's last word, also of an earlier sitting."""
        for proposal_id, fact_id in self._mine().sort("at").tail(1).select(PAIR).iter_rows():
            take_back(self.study, proposal_id, fact_id, self.who)
            self._show("Taken back; the pair is open again.")

    def _mine(self) -> pl.DataFrame:
        """This person's words; whoever said nothing yet needs no pseudonym."""
        aliases = {name: alias for alias, name in named_people().items()}
        return links(self.study).filter(annotator=aliases.get(self.who, self.who))

    def _show(self, happened: str = "") -> None:
        """The first pair that is open now: a word on one pair may settle others."""
        self.tables["links"], mine = links(self.study), self._mine()
        pairs = doubtful(offered(**{n: self.tables[n] for n in OFFERED}), headline(self.tables))
        rows = pairs.join(mine, on=PAIR, how="anti", maintain_order="left").rows()
        ahead = [row for row in rows if row[:2] not in self.skipped]
        self.pair = ahead[0][:2] if ahead else None
        self.answers.layout.display = self.turns.layout.display = "flex" if ahead else "none"
        for button in self.answers.children:
            button.disabled = not self.who
        self.back.disabled = mine.is_empty()
        asked = self._question(*ahead[0], left=len(ahead)) if ahead else ""
        self.shown.value = asked + sentence(self._said(mine["same"], not ahead)).html
        self.heard.value = alert(f"{happened} {self._next(len(ahead))}").html if happened else ""
        self._show_turns()

    def _show_turns(self) -> None:
        """The turns around the pair, while they are asked for."""
        shown = self.pair is not None and self.turns.value
        self.around.value = self._passage(*self.pair) if self.pair and shown else ""

    def _passage(self, proposal_id: str, fact_id: str) -> str:
        sides = pl.concat(
            [
                self.tables["proposals"].filter(proposal_id=proposal_id).select(*SAID),
                self.tables["candidates"].filter(candidate_id=fact_id).select(*SAID),
            ]
        )
        evidence = sides["evidence"].explode().drop_nulls().to_list()
        told = [*sides["turn"], *(one["turn"] for one in evidence)]
        near = pl.col("turn").is_between(min(told) - AROUND, max(told) + AROUND)
        session = pl.col("session_id") == sides["session_id"][0]
        turns = self.tables["turns"].filter(near, session, ~pl.col("hidden"))
        return passage(turns.sort("turn"), evidence).html

    def _question(self, proposal_id: str, fact_id: str, why: str, *, left: int) -> str:
        """HTML: the record and the fact side by side, and what is in doubt."""
        record = self.tables["proposals"].filter(proposal_id=proposal_id).select(COMPARED)
        fact = self.tables["candidates"].filter(candidate_id=fact_id).select(COMPARED)
        both = pl.concat([record.cast(pl.String), fact.cast(pl.String)]).transpose(
            include_header=True, header_name="detail", column_names=["record", "fact"]
        )
        asked = f"Pairs left: {left:,}. Does the record say what the fact says? In doubt: {why}."
        return sentence(asked).html + table(both).html

    def _next(self, left: int) -> str:
        """What comes now, for those who hear it."""
        if not self.pair:
            return "No pair is left."
        proposal_id, fact_id = self.pair
        record = self.tables["proposals"].filter(proposal_id=proposal_id)["statement"][0]
        fact = self.tables["candidates"].filter(candidate_id=fact_id)["statement"][0]
        return f"Pairs left: {left:,}. Next: the record “{record}” and the fact “{fact}”."

    def _said(self, same: pl.Series, ended: bool) -> str:
        """What this person decided so far and, at the end, what to do next."""
        if ended and not (same.len() or self.skipped):
            return f"There is no doubtful pair in study {self.study!r}."
        if not self.who:
            return "Say who you are: what you decide is kept under your name."
        yes, skipped = int(same.sum()), len(self.skipped)
        said = f"{self.who} said so far: {yes:,} the same, {same.len() - yes:,} not the same."
        later = f" Skipped: {skipped:,}; run this cell again to see them." if skipped else ""
        then = f" No pair is left: run `gates score --study {self.study}`." if ended else ""
        return said + later + then
