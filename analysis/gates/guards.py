"""Why a match is not a fact of the user: guards that read the clause and the sentence around it.

All of them see the folded text (`folding.fold`), in English. A clause ends at a punctuation mark or
a conjunction, a segment at a punctuation mark, a sentence at a full stop and white space or at a
line break. Nothing further than 240 characters from the match is read. Known limits: "we don't use
anything but X" says X and is refused, "everybody but me uses X" is admitted.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

Span = tuple[int, int]
REACH = 240

_SENTENCE_END = re.compile(r"[.!?…]{1,9}(?=\s|$)|\n")
_SEGMENT_END = re.compile(r"[.!?;:,()…—–\n]{1,9}(?=\s|$)|\s-\s|[—–…\n(]")
_CLAUSE_END = re.compile(rf"{_SEGMENT_END.pattern}|\b(?:but|because|since|although|and|so)\b", re.I)

_QUOTED = re.compile(
    r"```.*?(?:```|\Z)"  # a code block
    r"|^[ \t]{0,3}>[^\n]{0,4000}"  # a line that a mail program quoted
    r'|"[^"\n]{1,600}"|“[^“”\n]{1,600}”|„[^„“”\n]{1,600}[“”]|«[^«»\n]{1,600}»'
    r"|(?<!\w)'[^'\n]{1,600}'(?!\w)",
    re.DOTALL | re.MULTILINE,
)


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


_NEGATION = _words(
    r"not|never|no longer|nor|neither|hardly|without|cannot|nobody|none|stop|instead of"
    r"|\w{1,12}n't|dont|doesnt|isnt|arent|wont|cant"
)
_TAKEN_BACK = re.compile(
    r"\s?(?:not|no longer|any ?more)\b"
    r"|[^\n]{0,40}\b(?:forget (?:that|it)|never ?mind|scratch that|just kidding|actually,? no)\b",
    re.IGNORECASE,
)
_CONDITION = _words(
    r"if|unless|whether|in case|suppose|supposing|imagine|assum(?:e|ing)|pretend"
    r"|hypothetically|let'?s say|say that|were we|had we"
)
_CONDITIONAL = _words(r"would|could|might|\w{1,5}'d")
_HEDGE = _words(
    r"maybe|perhaps|possibly|probably|might|hopefully|i (?:think|guess|believe|suppose|doubt|wish)"
    r"|idk|not sure|unsure|not decided|thinking (?:of|about)|consider(?:ing)?|plan(?:s|ning)? to"
    r"|pretty sure|kind of|sort of"
)
_OPENING = r"\W{0,3}(?:(?:and|but|so|ok|okay|hm{1,3}|hey|also|oh|well|or) ){0,2}"
_AUXILIARY = (
    r"do|does|did|is|are|am|was|were|should|shall|have|has|can|could|would|will"
    r"|isn't|aren't|don't|doesn't|didn't"
)
_ASKS = re.compile(rf"{_OPENING}(?:{_AUXILIARY})\s{{0,3}}\Z", re.IGNORECASE)
_INVERSION = re.compile(
    rf"{_OPENING}(?:{_AUXILIARY}|what|which|who|why|how|when|where|whose)\b", re.IGNORECASE
)
_REQUEST = _words(r"(?:can|could|would|will) (?:you|u)|please|pls")
_TAG = re.compile(
    r"[\s,;-]{0,4}(?:right|yes|no|correct|or|or not|ok|eh|huh|true"
    r"|isn't it|don't we|aren't we)?\s?\?",
    re.IGNORECASE,
)
_THIRD_PERSON = re.compile(
    r"\b(?:he|she|they|his|her|their|someone|somebody)\b"
    r"|\b(?:my|our|the|a|another|some|your) (?:\w{1,20} )?(?:boss|manager|colleagues?|co-?workers?"
    r"|deputy|predecessor|successor|friends?|wife|husband|partner|sister|brother|mother|father|mom"
    r"|mum|dad|parents|son|daughter|kids?|team lead|clients?|customers?|vendors?|agency|agencies"
    r"|consultants?|contractors?|suppliers?|competitors?|intern|cto|ceo|cfo|director|neighbou?r"
    r"|roommate)\b"
    r"|\b(?-i:[A-Z])\w{1,20}(?: (?:on|in|at|from) (?:my |our |the )?\w{1,20}){0,2}"
    r" (?:wants?|prefers?|likes?|hates?)\b"
    r"|\b(?:your|its)\W{1,3}\Z"
    r"|\b\w{2,20}'s (?:team|line|rule|idea|view|opinion|company|boss)\b",
    re.IGNORECASE,
)
_REPORTED = _words(
    r"(?<!i )(?:says?|said|thinks?|thought|believes?|claims?|claimed|wrote|writes|told (?:me|us))"
)
_FIRST_PERSON = re.compile(r"(?:we|i|i'?m|our|my)\b", re.IGNORECASE)
_SAID_BY = re.compile(r"\W{0,3}(?:says?|said|writes|wrote|thinks|according to)\b", re.IGNORECASE)
_PAST = _words(
    r"used to|back then|in the past|previously|formerly|originally|at the time"
    r"|(?:old|previous|former|last) (?:job|company|employer|team|place)"
    r"|until (?:19|20)\d\d|until (?:last|recently)|before (?:we|i) (?:moved|joined)"
)
_DATED = _words(r"(?:years?|months?|weeks?) ago|last (?:year|quarter|month)|in (?:19|20)\d\d")
# "we moved to X last year": what began then holds now
_ARRIVED = _words(r"moved|migrated|switched|changed|transferred|relocated|been using")
_SITUATIONAL = _words(
    r"today|tonight|tomorrow|this (?:week|month|sprint|quarter|time|morning|afternoon|weekend)"
    r"|for now|for the moment|(?:just|only) (?:this )?once|right now|temporar(?:y|ily)"
    r"|at the moment|until (?:mon|tues|wednes|thurs|fri|satur|sun)day|until (?:tomorrow|next|then)"
    r"|(?:for|in) this (?:one|report|chart|query|alert|tile|slide|export|file)"
)


@dataclass(frozen=True)
class Around:
    """What stands before and after a match, in its clause, its segment and its sentence."""

    clause: tuple[str, str]
    segment: tuple[str, str]
    sentence: tuple[str, str]
    following: str


def around(text: str, start: int, end: int) -> Around:
    """The surroundings of `text[start:end]` (folded text)."""
    before, after = text[max(0, start - REACH) : start], text[end : end + REACH]
    return Around(
        clause=(_last(_CLAUSE_END, before), _first(_CLAUSE_END, after)),
        segment=(_last(_SEGMENT_END, before), _first(_SEGMENT_END, after)),
        sentence=(_last(_SENTENCE_END, before), _first(_SENTENCE_END, after)),
        following=after,
    )


def _last(end: re.Pattern[str], before: str) -> str:
    cut = 0
    for found in end.finditer(before):
        cut = found.end()
    return before[cut:]


def _first(end: re.Pattern[str], after: str) -> str:
    """Up to and with what ends it."""
    found = end.search(after)
    return after[: found.end()] if found else after


def quotations(text: str) -> list[Span]:
    """Where somebody else's words stand: quotation marks, quoted lines, code blocks."""
    return [found.span() for found in _QUOTED.finditer(text)]


def overlaps(start: int, end: int, spans: Iterable[Span]) -> bool:
    return any(low < end and start < high for low, high in spans)


def reason(text: str, start: int, end: int, *, wish: bool = False) -> str | None:
    """Why `text[start:end]` states no fact of the user's own, or None.

    `wish`: the pattern reads a preference, so that "can you …?" asks for it rather than about it.
    """
    near = around(text, start, end)
    checks = {
        "negated": _negated(near),
        "hypothetical": _hypothetical(near, text[start:end]),
        "question": _question(near, text[start:end], wish=wish),
        "third_person": _third_person(near, text[start:end]),
        "past": _past(near, text[start:end]),
    }
    return next((name for name, holds in checks.items() if holds), None)


def situational(text: str, start: int, end: int) -> bool:
    """Whether the clause says that it holds for the task at hand only."""
    before, after = around(text, start, end).segment
    return bool(_SITUATIONAL.search(before) or _SITUATIONAL.search(after))


def _negated(near: Around) -> bool:
    return bool(_NEGATION.search(near.clause[0]) or _TAKEN_BACK.match(near.following))


def _hypothetical(near: Around, match: str) -> bool:
    if _CONDITION.search(near.segment[0]) or _HEDGE.search(near.segment[0]):
        return True
    if _HEDGE.search(near.sentence[1]):
        return True
    conditional = _CONDITIONAL.search(near.segment[0]) or _CONDITIONAL.search(match)
    return bool(conditional and _CONDITION.search(near.sentence[0]))


def _past(near: Around, match: str) -> bool:
    around_it = (near.sentence[0], near.clause[1])
    dated = not _ARRIVED.search(match) and any(map(_DATED.search, around_it))
    return dated or any(map(_PAST.search, around_it))


def _question(near: Around, match: str, *, wish: bool) -> bool:
    before, after = near.segment
    if wish and _REQUEST.search(before + match):
        return False
    asked = near.sentence[1].rstrip().endswith("?")
    if _ASKS.match(before) or (asked and _INVERSION.match(before)):
        return True
    return asked and ("?" in after or _TAG.fullmatch(near.sentence[1][len(after) :]) is not None)


def _third_person(near: Around, match: str) -> bool:
    """Said by or of somebody else; "with the agency we use …" is said of us."""
    before = near.clause[0]
    of_others = _THIRD_PERSON.search(before) and not _FIRST_PERSON.match(match)
    return bool(of_others or _REPORTED.search(before) or _SAID_BY.match(near.following))
