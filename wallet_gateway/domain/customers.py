"""Whether two texts are one customer's e-mail address. Pure."""

from __future__ import annotations

import unicodedata


def is_same_email(one: object, other: object) -> bool:
    """Return whether two values are one e-mail address, in any letter case and any composition of accents.

    An address of ASCII is never the same as another one: a few letters beyond it have such small letters.
    """
    ours, theirs = str(one), str(other)
    return ours.isascii() == theirs.isascii() and _folded(ours) == _folded(theirs)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower()
