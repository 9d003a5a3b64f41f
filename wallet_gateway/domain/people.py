"""Who does something and why, and when two texts name one customer. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

from wallet_gateway.domain.error_codes import StoredEnum
from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.protocol.text import is_storable

# Who does something: a person with an account, or a program that only gives a name


class Account(Protocol):
    """A user of the project's user model, such as `request.user`."""

    @property
    def pk(self) -> Any:  # noqa: ANN401 - a number, a UUID or a text: the user model decides
        """The primary key."""

    def get_username(self) -> str:
        """Return the name with which the person logs in."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who does something: the name is for people to read, the account says who it is.

    A name can be changed and given to somebody else, and a primary key cannot.
    """

    name: str = ""
    """For the logs; a command's or a program's own word for itself where there is no account."""
    account: str = ""
    """The primary key of the account as text; empty for a program."""

    @property
    def is_program(self) -> bool:
        """Return whether there is no account: such an actor is nobody's second person."""
        return not self.account


NOBODY = Actor()

By = Actor | Account | str
"""What the operations take as `by`: a user, an `Actor`, or a program's name, which is only a label."""


def is_same_person(one: Actor, other: Actor) -> bool:
    """Return whether two actors may be one person: they have the same account, or the same name.

    A renamed account keeps its key, and a name that was given to a new account is still the same name. Case,
    outer blanks, Unicode forms and invisible characters of names are ignored. A program without a name is
    nobody.
    """
    same_account = bool(one.account) and one.account == other.account
    return same_account or (bool(_folded(one.name)) and _folded(one.name) == _folded(other.name))


# Why a person moves money: the codes that are stored with the person's comment


class ReasonCode(StoredEnum):
    """Why something is captured, refunded or reversed.

    A further one has at most 16 characters, a place in `REASON_CODES`, and in `NEEDS_NOTE` if it says nothing
    by itself, a label under its name in `models.fields`, and a migration of the three columns.
    """

    SHIPPED = "shipped"
    PART_SHIPPED = "part-shipped"
    SERVICE_RENDERED = "service"
    RETURNED = "returned"
    DAMAGED = "damaged"
    ORDER_CANCELLED = "cancelled"
    PAID_TWICE = "duplicate"
    GOODWILL = "goodwill"
    UNAVAILABLE = "unavailable"
    SUSPICIOUS = "suspicious"
    OTHER = "other"
    """The comment explains the reason."""


NEEDS_NOTE = frozenset({ReasonCode.OTHER})
"""Reasons for which a person has to write a comment: the admin's forms ask for it."""

_REFUND = (
    ReasonCode.RETURNED,
    ReasonCode.DAMAGED,
    ReasonCode.ORDER_CANCELLED,
    ReasonCode.PAID_TWICE,
    ReasonCode.GOODWILL,
    ReasonCode.OTHER,
)

REASON_CODES: Mapping[TransactionKind, tuple[ReasonCode, ...]] = MappingProxyType(
    {
        TransactionKind.CAPTURE: (
            ReasonCode.SHIPPED,
            ReasonCode.PART_SHIPPED,
            ReasonCode.SERVICE_RENDERED,
            ReasonCode.OTHER,
        ),
        TransactionKind.REFUND: _REFUND,
        TransactionKind.REVERSAL: (
            ReasonCode.ORDER_CANCELLED,
            ReasonCode.UNAVAILABLE,
            ReasonCode.SUSPICIOUS,
            ReasonCode.OTHER,
        ),
        TransactionKind.DETACHED_REFUND: _REFUND,
    }
)
"""The codes of each operation, in the order in which a form offers them."""


# When two texts are one customer's e-mail address, and whether a name begins with a text. There are two
# rules. A search folds whatever people and browsers vary, and a person looks at what it finds. Disclosing
# and erasing need the stricter one: two mailboxes may differ by a letter that only looks alike.


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
