"""Named normalisers: how a pattern's value comes out in one form however it was said.

A template such as `{day|lower}` names one; besides those here, each word list of the pattern file
is one too (said -> value). A normaliser takes what was said and returns text, never empty; what it
cannot read it returns in lower case.
"""

import re
from collections.abc import Callable

from analysis.gates.folding import fold

Normaliser = Callable[[str], str]

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def lower(said: str) -> str:
    return " ".join(said.split()).lower()


def name(said: str) -> str:
    """A person's name, with its first letter in upper case.

    >>> name("zoë")
    'Zoë'
    """
    return said[:1].upper() + said[1:]


def charts(said: str) -> str:
    """A kind of chart in words.

    >>> charts("Pie")
    'pie charts'
    """
    return f"{lower(said)} charts"


def slug(said: str) -> str:
    """A name fit for a scope.

    >>> slug("Delivery duration")
    'delivery-duration'
    """
    return re.sub(r"[^a-z0-9_]{1,80}", "-", fold(said).lower()).strip("-") or "unnamed"


def identifier(said: str) -> str:
    """A name fit for a slot.

    >>> identifier("Core player")
    'core_player'
    """
    return slug(said).replace("-", "_")


def number(said: str) -> str:
    """Digits for a number that was spelt out up to ten.

    >>> number("two"), number("12")
    ('2', '12')
    """
    word = lower(said)
    return str(_NUMBERS.index(word)) if word in _NUMBERS else word


def month_day(said: str) -> str:
    """A day of the year as mm-dd; a month alone begins on its first.

    >>> month_day("1 November"), month_day("April 6th"), month_day("July")
    ('11-01', '04-06', '07-01')
    """
    month = next((i for i, short in enumerate(_MONTHS, 1) if short in said.lower()), None)
    day = re.search(r"\d{1,2}", said)
    return lower(said) if month is None else f"{month:02}-{int(day[0]) if day else 1:02}"


def date_format(said: str) -> str:
    """The format that a written-out date shows, where the date leaves no doubt.

    >>> date_format("2026-03-09"), date_format("31.12.2026"), date_format("03/09/26")
    ('yyyy-mm-dd', 'dd.mm.yyyy', '03/09/26')
    >>> date_format("ISO 8601")
    'yyyy-mm-dd'
    """
    if re.fullmatch(r"\d{4}([-/.])\d\d\1\d\d", said):
        return said[4].join(["yyyy", "mm", "dd"])
    if lower(said).startswith("iso"):
        return "yyyy-mm-dd"
    parts = re.fullmatch(r"(\d\d)([-/.])(\d\d)\2\d{4}", said)
    if parts is None or not (int(parts[1]) > 12) ^ (int(parts[3]) > 12):
        return lower(said)
    order = ["dd", "mm", "yyyy"] if int(parts[1]) > 12 else ["mm", "dd", "yyyy"]
    return parts[2].join(order)


def number_format(said: str) -> str:
    """The Indian grouping by its name, any other by the example that was given.

    >>> number_format("1,23,45,678"), number_format("1.234.567,89")
    ('indian grouping', '1.234.567,89')
    """
    return "indian grouping" if re.search(r"\d[., ]\d\d[., ]\d\d\d", said) else said


def utc_offset(said: str) -> str:
    """An offset from UTC, said in words or signs.

    >>> utc_offset("four hours ahead"), utc_offset("3 hours behind"), utc_offset("GMT +2")
    ('utc+4', 'utc-3', 'utc+2')
    """
    if signs := re.search(r"([+-]) ?(\d{1,2})", said):
        return f"utc{signs[1]}{int(signs[2])}"
    hours = number(said.split()[0]) if said.strip() else ""
    return f"utc{'-' if 'behind' in said.lower() else '+'}{hours}"


def utc_name(said: str) -> str:
    """The same for people.

    >>> utc_name("four hours ahead")
    'UTC+4'
    """
    return utc_offset(said).upper()


def plural(said: str) -> str:
    """A unit of time, always in the plural.

    >>> plural("Year"), plural("months")
    ('years', 'months')
    """
    return lower(said).removesuffix("s") + "s"


def decimal_mark(said: str) -> str:
    """The marks of a number, from words that name the decimals' first.

    >>> decimal_mark("comma for the decimals and a space between the thousands")
    'decimal comma, space thousands'
    >>> decimal_mark("Point")
    'decimal point'
    """
    marks = re.findall(r"comma|point|dot|period|space", lower(said))
    named = f"decimal {marks[0]}" if marks else lower(said)
    return f"{named}, {marks[1]} thousands" if len(marks) > 1 else named


NORMALISERS: dict[str, Normaliser] = {
    "lower": lower,
    "name": name,
    "charts": charts,
    "slug": slug,
    "identifier": identifier,
    "number": number,
    "month_day": month_day,
    "date_format": date_format,
    "number_format": number_format,
    "utc_offset": utc_offset,
    "utc_name": utc_name,
    "plural": plural,
    "decimal_mark": decimal_mark,
}


def from_words(words: dict[str, str]) -> Normaliser:
    """The normaliser of a word list (said in lower case -> value).

    A list of several of them, as in "km and kg", is read word by word.
    """

    def look_up(said: str) -> str:
        known = lower(fold(said))
        if known in words:
            return words[known]
        parts = re.split(r"( and |, )", known)
        return "".join(words.get(part, part) for part in parts)

    return look_up
