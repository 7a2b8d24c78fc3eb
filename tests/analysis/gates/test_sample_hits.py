"""Every built-in pattern hits a true fact of the sample's dev users: one both annotators write."""

import json
from collections import defaultdict

from analysis.gates import Context, Turn, heuristic
from labelling.tables import root_folder, split_of

SAMPLE = root_folder() / "data" / "sample"


def lines(name):
    text = (SAMPLE / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def written():
    """The ids of the candidates that every annotator (two at least) decided to write."""
    decisions = defaultdict(list)
    for label in lines("labels.jsonl"):
        if "durable" in label:
            sure = label["well_evidenced"] == label["scope_ok"] == "yes"
            decisions[label["candidate_id"]].append(sure and label["durable"] in ("yes", "until"))
    return {key for key, given in decisions.items() if len(given) >= 2 and all(given)}


def true_facts():
    """Session -> candidates that became facts."""
    kept, facts = written(), defaultdict(list)
    for candidate in lines("candidates.jsonl"):
        if candidate["candidate_id"] in kept:
            facts[candidate["session_id"]].append(candidate)
    return facts


def dev_proposals():
    for row in lines("transcripts.jsonl"):
        if "text" in row and split_of(row["user_id"]) == "dev":
            turn = Turn(row["session_id"], row["turn"], row["role"], row["text"])
            for proposal in heuristic.gate(turn, Context()):
                yield turn, proposal


def shared_half(span, evidence):
    """Whether two spans of one turn share at least half of the shorter."""
    shared = min(span.end, evidence["end"]) - max(span.start, evidence["start"])
    shorter = min(span.end - span.start, evidence["end"] - evidence["start"])
    return span.turn == evidence["turn"] and 2 * shared >= shorter


def captures(proposal, fact):
    if (proposal.scope, proposal.polarity) != (fact["scope"], fact["polarity"]):
        return False
    if proposal.slot is not None and proposal.slot == fact["slot"]:
        return proposal.value == fact["value"]
    return any(shared_half(span, e) for span in proposal.evidence for e in fact["evidence"])


def test_every_pattern_hits_a_fact_of_a_dev_user() -> None:
    facts = true_facts()
    hit = {
        proposal.rule_id
        for turn, proposal in dev_proposals()
        if proposal.verdict == "admit"
        and any(captures(proposal, fact) for fact in facts[turn.session_id])
    }
    patterns = {pattern.id for pattern in heuristic.built_in().patterns}
    assert len(patterns) >= 34
    assert patterns - hit == set()
