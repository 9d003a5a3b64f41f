"""Who does something: a person with an account, or a program that only gives a name. Pure."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any, Protocol


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
    outer blanks and Unicode forms of names are ignored. A program without a name is nobody.
    """
    same_account = bool(one.account) and one.account == other.account
    return same_account or (bool(_plain(one.name)) and _plain(one.name) == _plain(other.name))


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip().casefold()
