"""A scored study of five turns and two gates, one with scores: every number can be worked out."""

from analysis.score import score
from labelling.reference import make_reference
from tests.studies import REJECT, WRITE, said, save, talk, votes

SPOKEN = talk(*(text for n in range(5) for text in (f"Sentence {n} of mine.", "I see.")))
ANSWERS = {"a": (WRITE, WRITE), "b": (WRITE, WRITE), "c": (REJECT, REJECT), "d": (WRITE, REJECT)}
SCORES = {"a": 0.9, "d": 0.7, "c": 0.5, "b": 0.2}


def resting(name):
    turn = 2 * list(ANSWERS).index(name)
    text = SPOKEN[turn]["text"]
    words = {"quote": text, "statement": f"Statement {name}."}
    return {"turn": turn, "evidence": said(turn, text, text), **words}


def scored(name):
    admitted = SCORES[name] >= 0.5
    verdict = {"verdict": "admit"} if admitted else {"verdict": "reject"}
    why = {} if admitted else {"reject_reason": "below_threshold"}
    row = {"gate": "judge", "score": SCORES[name], "score_kind": "probability"}
    return {**resting(name), **row, **verdict, **why}


def write_tiny(gates=("judge", "press")):
    """Gate judge: a right, d disputed, c wrong, and b below its threshold of 0.5; press: a."""
    offered = {"judge": [*map(scored, SCORES)], "press": [{**resting("a"), "gate": "press"}]}
    save(
        "tiny",
        sessions=[{}],
        turns=SPOKEN,
        events=[],
        proposals=[one for gate in gates for one in offered[gate]],
        gate_turns=[{"gate": gate, "turn": 2 * n} for gate in gates for n in range(5)],
        candidates=[{"candidate_id": name, **resting(name)} for name in ANSWERS],
        labels=[one for name, given in ANSWERS.items() for one in votes(name, *given)],
    )
    make_reference("tiny")
    score("tiny")
