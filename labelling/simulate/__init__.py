"""Studies of a simulated world with known truth, of any size.

The text is plain and says nothing real. A simulated study shows what measures do where the truth is
known; its figures are no evidence about any gate.
"""

from labelling.simulate.annotators import Annotator
from labelling.simulate.chapter import ANNOTATORS, chapter_gates
from labelling.simulate.gates import Asking, GateModel
from labelling.simulate.study import SAYS, simulate
from labelling.simulate.world import World

__all__ = [
    "ANNOTATORS",
    "SAYS",
    "Annotator",
    "Asking",
    "GateModel",
    "World",
    "chapter_gates",
    "simulate",
]
