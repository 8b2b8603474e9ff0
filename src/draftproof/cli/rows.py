"""Probabilities as they are typed: decimals and fractions, read exactly."""

import re
from fractions import Fraction
from math import lcm

from draftproof.errors import BadRequest
from draftproof.report.text import printable

_NUMBER = re.compile(r"[+-]?(\d+/\d+|(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,2})?)", re.IGNORECASE)

LONGEST_ENTRY = 64
"""Characters. Longer ones are mistakes, and would make every later number unreadable."""

MOST_DIGITS = 200
"""Of the common denominator of a row: far above any row of use, far below where arithmetic is felt."""


def read_row(text: str, place: str) -> list[Fraction]:
    """`0.2,1/3,...` as fractions, exactly as written: 0.1 is 1/10.

    Raises:
        BadRequest: an entry that is not a number; the message names it and `place`.
    """
    if not text.strip():
        raise BadRequest(f"{place} is empty; give the probabilities of all tokens, such as 0.2,0.5,0.3 or 1/3,2/3")
    entries = text.split(",")
    row = [_read_entry(entry.strip(), f"{place}, token {token}") for token, entry in enumerate(entries)]
    if len(str(lcm(*(value.denominator for value in row)))) > MOST_DIGITS:
        raise BadRequest(f"{place}: the common denominator has more than {MOST_DIGITS} digits; give shorter numbers")
    return row


def _read_entry(entry: str, place: str) -> Fraction:
    if not entry:
        raise BadRequest(f"{place} is missing: there is nothing between two commas, or after the last")
    shown = printable(entry if len(entry) <= LONGEST_ENTRY else entry[:LONGEST_ENTRY] + "...")
    if len(entry) > LONGEST_ENTRY or not _NUMBER.fullmatch(entry):
        raise BadRequest(f"{place} is '{shown}'; write a number such as 0.25, 2.5e-1 or 1/4, of at most {LONGEST_ENTRY} characters")
    try:
        return Fraction(entry)
    except ZeroDivisionError:
        raise BadRequest(f"{place} is '{shown}', which divides by zero") from None


def read_names(text: str) -> list[str]:
    """`a,b,c` as names of tokens.

    Raises:
        BadRequest: an empty name, or one that comes twice.
    """
    names = text.split(",")
    for token, name in enumerate(names):
        if not name:
            raise BadRequest(f"--tokens: token {token} has an empty name")
        if name in names[:token]:
            raise BadRequest(f"--tokens: {printable(name)!r} names both token {names.index(name)} and token {token}")
    return names
