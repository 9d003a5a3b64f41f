"""The form of a tokenized card's cryptogram, and how one is found where none may be kept. Pure.

The interface says "String"; wallets give Base64, and the length belongs to the network: 20 bytes of Visa,
19 of Mastercard, 20 or 40 of American Express. The shortest that exists is EMV's application cryptogram of 8.

A cryptogram that stands in its own field is known, and so it is found wherever else it is. One that stands
only in a wrong field looks like any other Base64. Found are texts that are padded to 16 bytes or more, and
others whose letters and digits alternate as they do in random ones: at 24 bytes all but one of two thousand.
"""

from __future__ import annotations

import re

CRYPTOGRAM_PATTERN = r"^([A-Za-z0-9+/]{4}){2,62}([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$"
"""Base64 of 12 to 252 characters: whole groups of four, and like other fields at most 255."""

_REMOVED = "[removed]"
_SHORTEST_PADDED = 12
_SHORTEST_UNPADDED = 20
_LONG_PADDED = 24
"""Characters of 16 bytes: no word that comes before an equals sign is so long and of the right length."""

_IS_CRYPTOGRAM = re.compile(CRYPTOGRAM_PATTERN)
# A possessive repeat, so that no character is looked at more than a dozen times.
_RUN = re.compile(rf"([A-Za-z0-9+/]{{{_SHORTEST_PADDED - 2},}}+)((?:=|%3[Dd]){{0,2}})(@?)")
_PIECE = re.compile(r"/?[A-Z]?[a-z]+|/?[A-Z]+|[0-9+/]+")
"""A word, with its capital or the slash of a path, or what lies between words."""
# JSON and addresses write these in several ways; all other characters of Base64 have one.
_SPELLINGS = {"+": r"(?:\+|%2[Bb]|\\u002[Bb])", "/": r"(?:\\?/|%2[Ff]|\\u002[Ff])"}
_PADDING = r"(?:=|%3[Dd]|\\u003[Dd]){0,2}"


def is_cryptogram(value: object) -> bool:
    """Return whether a value has the form of a cryptogram."""
    return isinstance(value, str) and _IS_CRYPTOGRAM.fullmatch(value) is not None


def remove_cryptogram(text: str, cryptogram: str) -> str:
    """Return a text without copies of one cryptogram, however JSON or an address writes it."""
    letters = (_SPELLINGS.get(letter, letter) for letter in cryptogram.rstrip("="))
    return re.sub("".join(letters) + _PADDING, _REMOVED, text)


def mask_cryptograms(text: str) -> str:
    """Return a text without what looks like a cryptogram; all else stays as it is. Takes linear time."""
    return _RUN.sub(_masked, text)


def _masked(run: re.Match[str]) -> str:
    letters, padding, at = run.groups()
    length = len(letters) + len(padding.lower().replace("%3d", "="))
    is_padded = bool(padding) and length % 4 == 0
    if is_padded and length >= _LONG_PADDED:
        return _REMOVED + at
    # What stands before an @ belongs to an e-mail address.
    shortest = _SHORTEST_PADDED if is_padded else _SHORTEST_UNPADDED
    found = not at and length >= shortest and _alternates(letters)
    return _REMOVED if found else run[0]


def _alternates(letters: str) -> bool:
    """Return whether capitals, small letters and digits change as often as in random Base64.

    A piece of one kind has two letters there on average. In names of variables and persons, paths and street
    addresses it has more than three, and references and hashes have letters of one case only.
    """
    has_both_cases = letters not in {letters.lower(), letters.upper()}
    return has_both_cases and 10 * len(_PIECE.findall(letters)) >= 3 * len(letters)
