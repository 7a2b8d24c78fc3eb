"""Disputed candidates -> Argilla, for somebody who did not label them; their decisions come back.

The dataset shows the answers of both annotators, so it is in a workspace of its own, which no
annotator of the candidates in it is a member of. Owners see every workspace.
"""

from collections.abc import Collection, Iterable, Mapping

import polars as pl

from labelling import client
from labelling.accounts import check_known
from labelling.candidates import refuse_complete
from labelling.client import Argilla
from labelling.console import Outcome, warn, warn_if_stale
from labelling.once_disputed import OnceDisputed, once_disputed
from labelling.rounds.fetching import take
from labelling.rounds.refreshing import Refreshed, refresh
from labelling.rounds.sending import candidate_records
from labelling.tables import InputError, read, writing
from labelling.tables.decisions import annotator_decisions, counted, decisions
from labelling.tables.people import remember
from labelling.tasks import Record, adjudication_record, adjudication_task, candidates_task
from labelling.workspaces import ADJUDICATION, of_judges


@writing
def push(study: str, by: Iterable[str] = ()) -> Outcome:
    """Send what two people split on to the study's judges: admins, owners and the accounts `by`.

    Raises InputError for an account that labelled one of the disputed candidates, and where Argilla
    does not answer.
    """
    refuse_complete(study, "pushed to")
    warn_if_stale(study, "labels")
    labels, candidates = read(study, "labels"), read(study, "candidates")
    decided = decisions(labels, candidates).filter(pl.col("decision") == "disputed")
    disputed = candidates.join(decided, on="candidate_id", how="semi", maintain_order="left")
    records = _records(study, disputed, labels)
    with client.connect() as argilla:
        if disputed.is_empty() and client.workspace_id(argilla, of_judges(study)) is None:
            return Outcome(f"No candidate of study {study!r} is disputed: nothing to adjudicate")
        judges = _judges(argilla, labels, disputed, tuple(by))
        workspace = client.ensure_workspace(argilla, of_judges(study), judges)
        _close(argilla, workspace, labels, disputed)
        found = refresh(argilla, workspace, ADJUDICATION, adjudication_task(), records)
        return _outcome(study, disputed.height, found, argilla.url, sorted(judges.values()))


@writing
def pull(study: str) -> Outcome:
    """Write the judges' decisions into `labels`, and say what they come to."""
    candidates = read(study, "candidates")
    found, wrote = take(study, ADJUDICATION)
    (held,) = found.rounds(ADJUDICATION).values()
    judged = once_disputed(read(study, "labels"), candidates)
    done = {one.candidate_id for one in held.responses if one.status == "submitted"}
    return Outcome(
        f"Pulled the decisions on {len(done)} of {len(held.candidate_ids)} disputed candidates of "
        f"study {study!r} from Argilla",
        read={f"Argilla {of_judges(study)}/{ADJUDICATION}": len(held.candidate_ids)},
        wrote=wrote,
        text="\n".join([*judged.in_words(), *_left(judged)]),
        then=f"gates reference --study {study}",
        details={"decided": len(done), "adjudicated": judged.plain()},
    )


def _left(judged: OnceDisputed) -> list[str]:
    return [f"  {judged.open} disputed candidates are open"] if judged.open else []


def _records(study: str, disputed: pl.DataFrame, labels: pl.DataFrame) -> list[Record]:
    """Each disputed candidate as annotators saw it, with everybody's answers."""
    votes = annotator_decisions(labels, disputed)
    word = pl.when("write").then(pl.lit("yes")).otherwise(pl.lit("no"))
    answers: dict[str, dict[str, dict[str, str]]] = {}
    for candidate_id, person, write in votes.select("candidate_id", "annotator", word).iter_rows():
        answers.setdefault(candidate_id, {})[person] = {"write": write}
    for candidate_id, person, question, answer in _given(labels).iter_rows():
        if person in answers.get(candidate_id, {}):
            answers[candidate_id][person][question] = answer
    return [
        adjudication_record(shown, answers[shown.external_id])
        for shown in candidate_records(study, disputed)
    ]


def _given(labels: pl.DataFrame) -> pl.DataFrame:
    asked = [question.name for question in candidates_task().questions]
    rows = counted(labels).filter(pl.col("question").is_in(asked)).drop_nulls("answer")
    return rows.select("candidate_id", "annotator", "question", "answer")


def _judges(
    argilla: Argilla, labels: pl.DataFrame, disputed: pl.DataFrame, by: Collection[str]
) -> dict[str, str]:
    """User id -> name of those who shall judge: admins, and the accounts that were named."""
    accounts = client.users(argilla)
    for name in by:
        check_known(name, client.roles(argilla))
    labelled = _labelled(accounts, labels, disputed)
    for user_id, name in accounts.items():
        if name in by and user_id in labelled:
            raise InputError(
                f"{name!r} labelled {labelled[user_id]} of the {disputed.height} disputed "
                "candidates, and would see how others answered them",
                expected="somebody who labelled none of them",
                then="name another account with --by, or make one by `gates accounts add NAME`",
            )
    named = {user_id: name for user_id, name in accounts.items() if name in by}
    admins = client.users(argilla, role="admin")
    return {one: name for one, name in {**admins, **named}.items() if one not in labelled}


def _labelled(
    accounts: Mapping[str, str], labels: pl.DataFrame, disputed: pl.DataFrame
) -> dict[str, int]:
    """User id -> how many of the disputed candidates they answered, as a draft or in earnest."""
    asked = [question.name for question in candidates_task().questions]
    rows = labels.filter(pl.col("question").is_in(asked)).join(
        disputed, on="candidate_id", how="semi"
    )
    counts = dict(rows.group_by("annotator").agg(pl.col("candidate_id").n_unique()).iter_rows())
    known = remember(accounts)
    found = {
        user_id: max(counts.get(known[user_id], 0), counts.get(name, 0))
        for user_id, name in accounts.items()
    }
    return {user_id: n for user_id, n in found.items() if n}


def _close(argilla: Argilla, workspace: str, labels: pl.DataFrame, disputed: pl.DataFrame) -> None:
    """Take out members who have labelled one of the disputed candidates since they were let in."""
    accounts = client.users(argilla)
    labelled = _labelled(accounts, labels, disputed)
    for user_id in sorted(client.members(argilla, workspace) & labelled.keys()):
        client.remove_member(argilla, workspace, user_id)
        warn(
            f"{accounts[user_id]} labelled {labelled[user_id]} of the disputed candidates and does "
            "not see them any more"
        )


def _outcome(study: str, disputed: int, found: Refreshed, url: str, judges: list[str]) -> Outcome:
    who = " or ".join(judges) or "an owner (or name somebody with --by)"
    lines = [f"  {found.answered} were adjudicated before and stay"] if found.answered else []
    if found.removed:
        lines.append(f"  {found.removed} are disputed no longer and were taken back")
    return Outcome(
        f"Pushed {found.sent} of {disputed} disputed candidates of study {study!r} to Argilla",
        wrote={f"Argilla {of_judges(study)}/{ADJUDICATION}": found.sent},
        text="\n".join(lines),
        then=f"open {url}, sign in as {who}, decide, then `gates adjudicate pull --study {study}`",
        details={"disputed": disputed, "judges": judges, **vars(found)},
    )
