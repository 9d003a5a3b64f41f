"""Find card numbers in a text, however they are written, and hardly anything else. Pure.

A card number is told by an issuer's first digits, a length which that issuer uses, and the check digit. Its
digits may be those of any script, with up to five separators between any two of them, and letters may stand
right beside it. One in ten other numbers has the check digit by chance, so what is known to be another number
is left alone: an EAN, a telephone number, a date, a UUID. `docs/security.md` has the share of false hits.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

SHORTEST = 13
_FEWEST_DIGITS = re.compile(rf"[0-9](?:[^0-9]*+[0-9]){{{SHORTEST - 1}}}")


class CardNumber(NamedTuple):
    """A card number found in a text, and its place there."""

    start: int
    end: int
    digits: str
    """In ASCII, without separators."""


def card_numbers(text: str) -> Iterator[CardNumber]:
    """Yield the card numbers of a text from left to right; they do not overlap. Takes linear time."""
    if len(text) < SHORTEST:
        return
    plain = text if text.isascii() else text.translate(_PLAIN)
    if not _FEWEST_DIGITS.search(plain):
        return
    for run in _RUN.finditer(_KNOWN_TO_BE_OTHER.sub(_blanked, _IBAN.sub(_blanked_iban, plain))):
        if _FEWEST_DIGITS.match(run[0]):
            for groups in _joined(run):
                yield from _among(groups, plain)


def has_card_number(text: str) -> bool:
    """Return whether there is a card number in a text."""
    return next(card_numbers(text), None) is not None


def is_card_number(text: str) -> bool:
    """Return whether a text is a card number and otherwise nothing but separators."""
    found = next(card_numbers(text), None)
    return found is not None and not any(map(str.isalnum, text[: found.start] + text[found.end :]))


def mask_card_numbers(text: str) -> str:
    """Return a text with only the last four digits of each card number; all else stays as it is."""
    if len(text) < SHORTEST or (text.isascii() and not _FEWEST_DIGITS.search(text)):
        return text
    parts, at = [], 0
    for found in card_numbers(text):
        parts += [text[at : found.start], f"***{found.digits[-4:]}"]
        at = found.end
    return "".join([*parts, text[at:]]) if parts else text


# How digits and separators are written


class _Plain(dict[int, str]):
    """Maps each character to a digit, a letter or a separator in ASCII, so that places stay the same."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        digit = unicodedata.digit(character, None)
        if digit is not None:
            plain = str(digit)
        elif code < 128:
            plain = character
        elif character.isalpha() and character not in _DASHES:
            plain = "x"
        else:
            plain = _separator(character)
        self[code] = plain
        return plain


def _separator(character: str) -> str:
    """Return the ASCII separator that a character is taken for: a blank, or a comma for a weaker one."""
    like = unicodedata.normalize("NFKC", character)[0]
    if like.isascii() and not like.isalnum():
        return like
    is_weak = unicodedata.category(character)[0] in "PS" and unicodedata.category(character) != "Pd"
    return "," if is_weak and character not in _DOTS else " "


_DOTS = "\u00b7\u2022\u2027\u2219\u22c5\u30fb\u3002"
_DASHES = "\u30fc\uff70\u3161"
"""Letters of Japanese and Korean that keyboards give where a hyphen is meant."""
_PLAIN = _Plain()
# As in an address, encoded once or twice; in HTML; in JSON and in what `repr` writes.
_ESCAPED = (
    r"%(?:25)?(?:0[9AaDd]|20|2[B-Fb-f]|5[Ff]|[C-Fc-f][0-9A-Fa-f](?:%(?:25)?[89ABab][0-9A-Fa-f]){1,3})"
    r"|&(?:amp;)?(?:[A-Za-z]{2,9}|#[0-9]{1,5}|#[Xx][0-9A-Fa-f]{1,4});"
    r"|\\(?:[fnrtv]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})"
)
_SEPARATORS = rf"(?:{_ESCAPED}|[^0-9A-Za-z]){{1,5}}+"
_RUN = re.compile(rf"[0-9]++(?:{_SEPARATORS}[0-9]++)*+")
_PART = re.compile(rf"([0-9]++)({_SEPARATORS})?+")
_STRONG = re.compile(rf"(?:{_ESCAPED}|[\s.\\/_+\x00-\x1f\x7f-])++")
_KNOWN_TO_BE_OTHER = re.compile(
    r"(?<![0-9])(?:[0-9]{1,2}([./-])[0-9]{1,2}\1(?:19|20)[0-9]{2}|(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2})(?![0-9])"
    r"|[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"
)
"""Dates and UUIDs."""


_IBAN = re.compile(
    r"(?<![0-9A-Za-z])[A-Z]{2}[0-9]{2}(?: [0-9A-Z]{4}){2,7}+(?: [0-9A-Z]{1,3})?+(?![0-9A-Za-z])"
)
"""An account at a bank in groups of four, as on paper. In one piece it is no card number anyway."""


def _blanked(other: re.Match[str]) -> str:
    return "x" * len(other[0])


def _blanked_iban(found: re.Match[str]) -> str:
    """Blank an IBAN if its check digits are right (ISO 13616); one in 97 others has them by chance."""
    country, rest = found[0][:4], found[0][4:].replace(" ", "")
    is_iban = int("".join(str(int(character, 36)) for character in rest + country)) % 97 == 1
    return _blanked(found) if is_iban else found[0]


class _Group(NamedTuple):
    """Digits with no separator between them."""

    start: int
    digits: str


def _joined(run: re.Match[str]) -> Iterator[list[_Group]]:
    """Yield the groups of a run that may be parts of one number.

    Commas, colons, quotes and the like divide a list or a time as well. They join digits one by one, and
    groups of three or more.
    """
    groups: list[_Group] = []
    separators = ""
    for part in _PART.finditer(run[0]):
        group = _Group(run.start() + part.start(), part[1])
        if groups and not (_STRONG.fullmatch(separators) or _alike(groups[-1].digits, group.digits)):
            yield groups
            groups = []
        groups.append(group)
        separators = part[2] or ""
    yield groups


def _alike(before: str, after: str) -> bool:
    return min(len(before), len(after)) >= 3 or len(before) == len(after) == 1


# Which numbers are those of cards


def _among(groups: list[_Group], plain: str) -> Iterator[CardNumber]:
    """Yield the card numbers that begin and end with one of these groups, the longest at each place."""
    digits = "".join(group.digits for group in groups)
    if len(digits) < SHORTEST:
        return
    ends, at = {}, 0
    for group in groups:
        at += len(group.digits)
        ends[at] = group.start + len(group.digits)
    at = behind = 0
    for group in groups:
        if at >= behind and (length := _length_at(digits, at, group, ends, plain)):
            behind = at + length
            yield CardNumber(group.start, ends[behind], digits[at:behind])
        at += len(group.digits)


def _length_at(digits: str, at: int, first: _Group, ends: dict[int, int], plain: str) -> int:
    """Return how many digits the card number has that begins here; 0 if there is none."""
    for length in _lengths(digits[at : at + 4]):
        number = digits[at : at + length]
        if at + length not in ends or not has_check_digit(number):
            continue
        if length > SHORTEST or not (_is_telephone(first, plain) or _is_ean(number, first)):
            return length
    return 0


@cache
def _lengths(first: str) -> tuple[int, ...]:
    """Return the lengths, longest first, of card numbers that begin with these four digits."""
    return next((lengths for low, high, lengths in _ISSUERS if low <= first <= high), ())


_LONG = (19, 18, 17, 16)
# 15 digits beginning with 35 are the serial number of a telephone, and all of these have the check digit.
_ISSUERS: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    ("2200", "2204", _LONG),  # Mir
    ("2221", "2720", (16,)),  # Mastercard
    ("3000", "3059", (*_LONG, 15, 14)),  # Diners Club
    ("3095", "3095", (*_LONG, 15, 14)),
    ("3400", "3499", (15,)),  # American Express
    ("3528", "3589", _LONG),  # JCB
    ("3600", "3699", (*_LONG, 15, 14)),  # Diners Club
    ("3700", "3799", (15,)),  # American Express
    ("3800", "3999", (*_LONG, 15, 14)),  # Diners Club
    ("4000", "4999", (*_LONG, SHORTEST)),  # Visa
    ("5000", "6999", _LONG),  # Mastercard, Maestro, Discover, UnionPay, RuPay, Elo, Verve
    ("8100", "8299", _LONG),  # UnionPay, RuPay
    ("9792", "9792", (16,)),  # Troy
)


def has_check_digit(digits: str) -> bool:
    """Return whether the last digit is the Luhn check digit of the others, as in every card number."""
    return (sum(map(int, digits[-1::-2])) + sum(map(int, digits[-2::-2].translate(_DOUBLED)))) % 10 == 0


_DOUBLED = str.maketrans("0123456789", "0246813579")
"""Twice a digit, less 9 where that has two digits."""

# Thirteen digits are those of an old Visa card, of which hardly any is left, of an EAN or of a telephone.


def _is_telephone(first: _Group, plain: str) -> bool:
    """Return whether a number begins with a plus sign or a calling code of up to three digits."""
    return len(first.digits) <= 3 or plain[first.start - 1 : first.start] == "+"


def _is_ean(number: str, first: _Group) -> bool:
    sums = sum(map(int, number[::2])) + 3 * sum(map(int, number[1::2]))
    return first.digits == number and sums % 10 == 0
