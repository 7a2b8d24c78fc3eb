"""Baseline: the gate that writes every sentence of a user. It bounds recall by verbatim records."""

from analysis.gates import Context, Proposal, Span, Turn
from labelling.transcripts.sentences import sentences


def gate(turn: Turn, context: Context) -> list[Proposal]:
    """One proposal a sentence of a user turn: the sentence is the statement and the quote."""
    if turn.role != "user":
        return []
    return [sentence_proposal(turn, start, end) for start, end in sentences(turn.text)]


def sentence_proposal(turn: Turn, start: int, end: int) -> Proposal:
    """The sentence `text[start:end]` as a record that holds everywhere."""
    sentence = turn.text[start:end]
    evidence = (Span(turn.turn, turn.role, start, end),)
    return Proposal(sentence, sentence, evidence, scope="global", polarity=True)
