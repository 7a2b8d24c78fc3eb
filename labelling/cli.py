"""The labelling side's commands: thin wrappers around working functions of this package."""

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from labelling import (
    accounts,
    audit,
    backup,
    candidates,
    monitor,
    reference,
    removal,
    restore,
    rounds,
)
from labelling import plan as plans
from labelling import simulate as simulated
from labelling.console import Outcome
from labelling.transcripts.ingest import ingest as ingest_files

Study = Annotated[str, Parameter(help="Which study; a study is a folder of tables.")]
Json = Annotated[bool, Parameter(negative="", help="Print one JSON object instead of words.")]


def _no_option(_: object, file: Path | str | None) -> None:
    """A lone `-` is a file to read; what else begins so is an option that there is not."""
    if str(file).startswith("-") and str(file) != "-":
        raise ValueError(f'unknown option "{file}" (a file of that name: ./{file})')


def ingest(
    *files: Annotated[str, Parameter(allow_leading_hyphen=True, validator=_no_option)],
    format: str = "auto",  # noqa: A002
    licence: str | None = None,
    replace: Annotated[bool, Parameter(negative="")] = False,
    study: Study = "sample",
    json: Json = False,
) -> Outcome:
    """Read transcripts into a study: tables sessions, turns, events; what fits nothing is listed.

    The same file again replaces itself; another file of the same name is refused.

    Parameters
    ----------
    files
        Files, folders or patterns to read; `-` is standard input.
    format
        jsonl, openai, sharegpt or ikat; `auto` looks, and says what it recognised and why.
    licence
        Under which licence the transcripts may be used; kept with every session.
    replace
        Let a file take the place of another one of the same name.
    """
    candidates.refuse_complete(study, "ingested into")
    return ingest_files(study, files, format=format, licence=licence, replace=replace)


def simulate(
    *,
    sessions: int = 500,
    seed: int = 7,
    turns: float = 12.2,
    study: Study = "simulated",
    json: Json = False,
) -> Outcome:
    """Make a study of a simulated world with known truth; its figures say nothing of any gate.

    Parameters
    ----------
    sessions
        How many conversations.
    seed
        The same seed makes the same study.
    turns
        Assistant turns a conversation has, in expectation (turns_per_session); at least 2.
    """
    world = simulated.World(sessions=sessions, turns_per_session=turns)
    return simulated.simulate(study, world, seed=seed)


def pool(
    *,
    gates: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    sample: int = 0,
    study: Study = "try",
    json: Json = False,
) -> Outcome:
    """Gather what people shall label: what gates proposed, and sentences nobody proposed.

    Parameters
    ----------
    gates
        Only these gates' proposals; all but the yardsticks (nothing, everything …) if left out.
    sample
        Draw about so many unproposed sentences of users; without them recall is flattered.
    """
    return candidates.pool(study, gates=gates, sample=sample)


def push(*, study: Study = "try", json: Json = False) -> Outcome:
    """Send the open round to Argilla, for two annotators each, blind. Again changes nothing."""
    return rounds.push(study)


def status(*, study: Study = "try", json: Json = False) -> Outcome:
    """How far the annotators are in Argilla; writes nothing."""
    return rounds.status(study)


def pull(*, study: Study = "try", json: Json = False) -> Outcome:
    """Bring the annotators' answers from Argilla into table labels."""
    return rounds.pull(study)


def reference_(*, study: Study = "sample", json: Json = False) -> Outcome:
    """Turn two people's answers into reference facts, disagreements and agreement."""
    return reference.make_reference(study)


def agreement(
    *, baseline: float | None = None, study: Study = "sample", json: Json = False
) -> Outcome:
    """How far annotators agree, which question splits them, and whether they drift apart.

    Parameters
    ----------
    baseline
        The share of candidates they split on that is held to be usual, 0 to 1; that of the first
        200 if left out. More than that calls drift, however often one looks.
    """
    return monitor.tell_agreement(study, baseline=baseline)


def plan(
    *,
    sessions: Annotated[tuple[int, ...], Parameter(negative="", show_default=False)] = (),
    gate: str | None = None,
    against: str | None = None,
    precision: float | None = None,
    recall: float | None = None,
    write_rate: float | None = None,
    other_precision: float | None = None,
    other_recall: float | None = None,
    other_write_rate: float | None = None,
    base_rate: float | None = None,
    disputed_share: float | None = None,
    design_effect: float | None = None,
    turns_per_session: float | None = None,
    sessions_per_user: float | None = None,
    annotators: int = 2,
    width: float = 0.1,
    power: float = 0.8,
    seed: int = 7,
    study: Study = "sample",
    json: Json = False,
) -> Outcome:
    """How many sessions, candidates and answers give which intervals and which power.

    Parameters
    ----------
    sessions
        How many conversations, several times; from 60 to 2,000 if left out.
    gate
        Suppose what the study says of this gate (`gate` or `gate/setting`); else, what a chapter's
        gate did.
    against
        Another gate of the study, to tell the two apart.
    precision
        Supposed share of right records; stated figures go before those of the study.
    recall
        Supposed share of facts found.
    write_rate
        Supposed records an assistant turn.
    other_precision
        The same of the gate to compare with; what is left out is that of the first.
    other_recall
        Its recall.
    other_write_rate
        Its write rate.
    base_rate
        Supposed facts an assistant turn.
    disputed_share
        Supposed share of candidates that two annotators split on.
    design_effect
        How many times as variable as independent cases, since what one user says is alike.
    turns_per_session
        Assistant turns a conversation has.
    sessions_per_user
        Conversations a user has.
    annotators
        Answers a candidate gets.
    width
        How wide an interval of precision and recall may be.
    power
        How likely a difference of precision should be seen.
    seed
        The same seed draws the same studies.
    """
    given = plans.supposed(
        None if gate is None else plans.observed(study, gate, against),
        {
            "gate": {"precision": precision, "recall": recall, "write_rate": write_rate},
            "other": {
                "precision": other_precision,
                "recall": other_recall,
                "write_rate": other_write_rate,
            },
            "effects": design_effect,
            "base_rate": base_rate,
            "disputed_share": disputed_share,
            "turns_per_session": turns_per_session,
            "sessions_per_user": sessions_per_user,
            "annotators": annotators,
        },
    )
    source = "a chapter's figures" if gate is None else plans.told(study, gate)
    return plans.plan(given, sessions, supposed=source, width=width, power=power, seed=seed)


_FILE: dict[str, Any] = {"allow_leading_hyphen": True, "validator": _no_option}


def audit_draw(
    *,
    from_: Annotated[Path | None, Parameter(name="--from", **_FILE)] = None,
    gate: str | None = None,
    n: int = 200,
    name: str | None = None,
    seed: int | None = None,
    study: Study = "sample",
    json: Json = False,
) -> Outcome:
    """Draw records of a live store, or of a gate, at random for two people to judge.

    Parameters
    ----------
    from_
        JSON lines of the store: record_id, user_id, statement, and corrected (whether the user
        corrected or deleted it), session_id, turn, quote, kind, scope, created_at, expires_at if
        known; `-` is standard input.
    gate
        Instead: the records that this gate (`gate` or `gate/setting`) wrote in the study.
    n
        How many records.
    name
        What the audit is called; the day if left out.
    seed
        Another number draws other records; the audit's name decides if left out.
    """
    return audit.draw(study, file=from_, gate=gate, n=n, name=name, seed=seed)


def audit_score(
    *labels: Annotated[Path, Parameter(**_FILE)],
    limit: float | None = None,
    study: Study = "sample",
    json: Json = False,
) -> Outcome:
    """Say how many records are wrong, beside how many users corrected, and whether it got worse.

    Parameters
    ----------
    labels
        Filled-in sheets, as JSON lines: record_id, annotator, durable, well_evidenced, scope_ok;
        without one, what was taken in before.
    limit
        The wrong share that the alarm is about, such as 0.1; say it before the first audit. As it
        was said before, or what the first audit leaves possible, if left out.
    """
    return audit.score(study, labels, limit=limit)


def accounts_add(name: str, /, *, role: str = "annotator", json: Json = False) -> Outcome:
    """Make an account with a new password, which is printed and kept in the accounts file.

    Parameters
    ----------
    name
        What the person signs in with: letters, digits, and . _ @ + - after the first.
    role
        annotator labels; admin manages datasets; owner may do everything.
    """
    return accounts.add(name, role)


def accounts_reset(name: str, /, *, json: Json = False) -> Outcome:
    """Give an account a new password.

    Parameters
    ----------
    name
        Whose.
    """
    return accounts.reset(name)


def accounts_list(*, json: Json = False) -> Outcome:
    """Who may sign in, and the pseudonym that stands in the tables."""
    return accounts.list_()


def accounts_remove(
    name: str, /, *, erase: Annotated[bool, Parameter(negative="")] = False, json: Json = False
) -> Outcome:
    """Remove somebody: nobody signs in so any more, the answers stay under the pseudonym.

    Parameters
    ----------
    name
        Whom; with `--erase` also the pseudonym of somebody removed before.
    erase
        Erase the answers, too: in Argilla, its history and every study; prints what is no longer
        complete then.
    """
    return removal.remove(name, erase=erase)


def backup_(
    file: Annotated[Path | None, Parameter(**_FILE)] = None,
    /,
    *,
    check: Annotated[bool, Parameter(negative="--no-check")] = True,
    json: Json = False,
) -> Outcome:
    """Write all there is to one file while people go on: Argilla, accounts, secrets, all studies.

    Parameters
    ----------
    file
        A new file, or a folder for one; in the data folder's `.backups` if left out. It holds
        passwords, and on the same disk it does not help against losing that.
    check
        Start a server of its own on the copy (some ten seconds) and compare what it counts.
    """
    return backup.backup(file, check=check)


def restore_(
    file: Annotated[Path, Parameter(**_FILE)],
    /,
    *,
    replace: Annotated[bool, Parameter(negative="")] = False,
    json: Json = False,
) -> Outcome:
    """Bring back what a backup holds, all or nothing; other studies stay. Argilla must be down.

    Parameters
    ----------
    file
        What `gates backup` wrote.
    replace
        Let it take the place of what is there: the database, accounts, studies of its names.
    """
    return restore.restore(file, replace=replace)


__all__ = [
    "Json",
    "Study",
    "accounts_add",
    "accounts_list",
    "accounts_remove",
    "accounts_reset",
    "agreement",
    "audit_draw",
    "audit_score",
    "backup_",
    "ingest",
    "plan",
    "pool",
    "pull",
    "push",
    "reference_",
    "restore_",
    "simulate",
    "status",
]
