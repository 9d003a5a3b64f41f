"""The merchant's own references (clientSystemTransactionId): created once per transaction, never used again.

Sortable by time so that an index stays compact, and unguessable.
"""

from __future__ import annotations

from datetime import datetime

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no two letters are confused when read aloud."""

REFERENCE_LENGTH = 26
_TIME_CHARACTERS = 10
_RANDOM_BITS = 80


def new_reference(*, now: datetime, randomness: int) -> str:
    """Return a reference of 26 characters from an aware instant and 80 random bits.

    The first ten characters are the milliseconds since 1970, so later references sort after earlier ones.
    Raises `ValueError` when `randomness` does not fit into 80 bits.
    """
    if not 0 <= randomness < 1 << _RANDOM_BITS:
        raise ValueError("randomness must be a number of at most 80 bits")
    milliseconds = int(now.timestamp() * 1000)
    return _encode(milliseconds, _TIME_CHARACTERS) + _encode(randomness, REFERENCE_LENGTH - _TIME_CHARACTERS)


def _encode(number: int, length: int) -> str:
    characters = []
    for _ in range(length):
        number, digit = divmod(number, 32)
        characters.append(ALPHABET[digit])
    return "".join(reversed(characters))
