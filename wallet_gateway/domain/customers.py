"""When two texts are one customer's e-mail address, and whether a name begins with a text. Pure.

There are two rules. A search folds whatever people and browsers vary, and a person looks at what it finds.
Disclosing and erasing need the stricter one: two mailboxes may differ by a letter that only looks alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from wallet_gateway.protocol.text import is_storable

_DOTS = re.compile("[.\u3002\uff0e\uff61]")
"""What separates the labels of a domain (RFC 3490)."""


def folded_email(address: str) -> str:
    """Return an address as searches compare it; empty if nothing is left of it.

    Without blanks around it and invisible characters, in compatible and small letters, `ß` as `ss`, and the
    domain in letters where it came as `xn--`.
    """
    return _folded(_with_decoded_domain(address))


def is_same_email(one: object, other: object) -> bool:
    """Return whether two values are one e-mail address, in any letter case and any composition of accents.

    An address of ASCII is never the same as another one: a few letters beyond it have such small letters.
    """
    ours, theirs = _with_decoded_domain(str(one)), _with_decoded_domain(str(other))
    return ours.isascii() == theirs.isascii() and _composed(ours) == _composed(theirs)


def begins_name(text: str, names: Iterable[str]) -> bool:
    """Return whether a text begins one of a person's names, or the names one after another."""
    wanted = " ".join(_folded(text).split())
    return bool(wanted) and f" {wanted}" in " ".join(["", *_folded(" ".join(names)).split()])


def _folded(text: str) -> str:
    if text.isascii():
        return text.casefold().strip()
    visible = "".join(letter for letter in text if unicodedata.category(letter) != "Cf")
    compatible = unicodedata.normalize("NFKC", visible).casefold()
    return unicodedata.normalize("NFKC", compatible).strip()


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower()


def _with_decoded_domain(address: str) -> str:
    local, at, domain = address.strip().rpartition("@")
    return local + at + ".".join(map(_decoded, _DOTS.split(domain)))


def _decoded(label: str) -> str:
    if label[:4].lower() != "xn--":
        return label
    try:
        letters = label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return label
    return letters if is_storable(letters) else label
