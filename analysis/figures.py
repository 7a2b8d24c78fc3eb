"""How a number is written for people: one form for each kind of number.

A share has two decimals at least, a rate one; both have two significant digits at least, so that
0.0043 is not 0.00, and what is not 1 is never written as 1.00. Nothing at all is "0", what is
undefined is "–".
"""

from collections.abc import Callable
from math import floor, isfinite, log10

UNDEFINED = "–"
LEAST = 1e-6
"""What is nearer to 0 is only said to be so."""
LEAST_P = 1e-4
LEAST_END = 1e-3
"""A lower end that is nearer to 0 is written as 0."""
MINUS = "\u2212"

Write = Callable[[float | None], str]


def number(value: float | None, decimals: int = 2) -> str:
    """A number with so many decimals, or more for two significant digits.

    >>> number(0.756), number(0.00435), number(1234.5, 1), number(0.0), number(None)
    ('0.76', '0.0043', '1,234.5', '0', '–')
    """
    if value is None or not isfinite(value):
        return UNDEFINED
    if value == 0:
        return "0"
    if abs(value) < LEAST:
        return f"between 0 and {MINUS if value < 0 else ''}{LEAST:f}"
    return _minus(f"{value:,.{max(decimals, 1 - floor(log10(abs(value))))}f}")


def share(value: float | None) -> str:
    """A share, 0-1; one that is nearly 1 keeps the digits that tell it from 1.

    >>> share(0.94), share(0.9985), share(1.0)
    ('0.94', '0.998', '1.00')
    """
    if value is None or not 0.995 <= value < 1 - LEAST:
        return number(value)
    return f"{value:.{-floor(log10(1 - value))}f}"


def rate(value: float | None) -> str:
    """Per 1,000 turns or a day, milliseconds.

    >>> rate(123.94), rate(0.034)
    ('123.9', '0.034')
    """
    return number(value, 1)


def signed(value: float | None, write: Write = share) -> str:
    """A difference with its sign.

    >>> signed(0.153), signed(-0.00076)
    ('+0.15', '−0.00076')
    """
    return ("+" if value and value > 0 else "") + write(value)


def p_value(value: float | None) -> str:
    """A p-value with two significant digits.

    >>> p_value(0.0376), p_value(3.3e-08)
    ('0.038', '< 0.0001')
    """
    return f"< {LEAST_P:.4f}" if value is not None and value <= LEAST_P else number(value)


def amount(value: float) -> str:
    """A count, or a sum of weights.

    >>> amount(12345678), amount(26.0), amount(26.25)
    ('12,345,678', '26', '26.2')
    """
    return f"{value:,.0f}" if value == int(value) else rate(value)


def plainly(value: float) -> str:
    """A number of a kind that nobody told."""
    return number(value, 1 if abs(value) >= 10 else 2)


def counted(value: float | None, part: float, whole: float) -> str:
    """A share with its counts.

    >>> counted(0.75, 3, 4)
    '0.75 (3 of 4)'
    """
    return f"{share(value)} ({amount(part)} of {amount(whole)})"


def span(low: float | None, high: float | None, write: Write = share) -> str:
    """Both ends of an interval or band, or "–"; ends that are nearly 0 or 1 are rounded outward.

    >>> span(0.00001, 0.99996), span(0.0031, 0.0062)
    ('0–1.00', '0.0031–0.0062')
    """
    least = 0.0 if low is not None and 0 < low < LEAST_END else low
    most = 1.0 if write is share and high is not None and 0.995 <= high < 1 else high
    ends = [write(least), write(most)]
    return UNDEFINED if UNDEFINED in ends else "–".join(ends)


def _minus(text: str) -> str:
    return text.replace("-", MINUS)
