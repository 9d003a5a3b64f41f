"""Find card numbers in a text. Pure.

A card number is told by an issuer's first digits, 14 to 19 of them in all, and the check digit. They stand
together or in the groups printed on cards, with blanks, hyphens and the like between the groups, which a form
may have encoded; letters may stand right beside. One in ten other numbers has the check digit by chance:
`docs/security.md` has the share of false hits. Numbers of 13 digits are EANs and telephone numbers: the cards
that had so few are gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_GAP = r"(?:[\s.+_/\u2010-\u2015-]|%20|%2[Dd]){1,3}"
_NUMBER = re.compile(
    # A number may follow an encoded character. The groups in the middle of a UUID are not a card number.
    r"(?:(?<![0-9])|(?<=%2[0-9]))(?<![0-9A-Fa-f]{8}-)"
    rf"(?=((?:[0-9]{{14,19}}|[0-9]{{4}}{_GAP}[0-9]{{6}}{_GAP}[0-9]{{4,5}}|(?:[0-9]{{4}}{_GAP}){{3}}[0-9]{{2,4}})"
    rf"(?![0-9]))({_GAP}[0-9]{{1,3}}(?![0-9]))?)"
)
_ISSUED = re.compile(
    r"3[0689][0-9]{12}|3[47][0-9]{13}|(?=[0-9]{16,19}\Z)(?:2[2-7]|3[05-9]|[4-6]|8[12]|9792)[0-9]+"
)
"""Diners Club, American Express, and the others; 15 digits beginning with 35 are a telephone's own number."""


def has_card_number(text: str) -> bool:
    """Return whether there is a card number in a text."""
    return next(_card_numbers(text), None) is not None


def is_card_number(text: str) -> bool:
    """Return whether a text is a card number and otherwise nothing but separators."""
    found = next(_card_numbers(text), None)
    return found is not None and not any(map(str.isalnum, text[: found[0]] + text[found[1] :]))


def mask_card_numbers(text: str) -> str:
    """Return a text with only the last four digits of each card number; all else stays as it is."""
    parts, at = [], 0
    for start, end, digits in _card_numbers(text):
        parts += [text[at:start], f"***{digits[-4:]}"]
        at = end
    return "".join([*parts, text[at:]]) if parts else text


def has_check_digit(digits: str) -> bool:
    """Return whether the last digit is the Luhn check digit of the others, as in every card number."""
    return (sum(map(int, digits[-1::-2])) + sum(map(int, digits[-2::-2].translate(_DOUBLED)))) % 10 == 0


_DOUBLED = str.maketrans("0123456789", "0246813579")
"""Twice a digit, less 9 where that has two digits."""


def _card_numbers(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and digits of each card number, from left to right; they do not overlap."""
    behind = 0
    for found in _NUMBER.finditer(text):
        # What follows a number in a group of its own may be its last digits, or a security code.
        for number in (found[1] + found[2], found[1]) if found[2] else (found[1],):
            digits = re.sub(r"%20|%2[Dd]|[^0-9]", "", number)
            if found.start() >= behind and _ISSUED.fullmatch(digits) and has_check_digit(digits):
                behind = found.start() + len(number)
                yield found.start(), behind, digits
