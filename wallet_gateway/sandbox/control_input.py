"""Reading the body of a control call: every value by name and kind, and nothing that has no name here.

A misspelt option would otherwise make a test pass for the wrong reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Final, TypeVar

from wallet_gateway.protocol.strict_json import JsonValue, NumberText, fold_name
from wallet_gateway.protocol.text import quote

_SECONDS: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,6})?")
_WHOLE: Final = re.compile(r"[0-9]{1,9}")

Value = TypeVar("Value")


class InvalidInput(ValueError):
    """A control call says something the sandbox cannot do; the message names the field."""


class Input:
    """The object a control call carries; null counts as not given. Reading methods raise ``InvalidInput``."""

    def __init__(self, values: Mapping[str, JsonValue]) -> None:
        self._values = {name: value for name, value in values.items() if value is not None}
        self._read: set[str] = set()

    def text(self, name: str, *, longest: int = 255) -> str:
        """Read a text that must be given."""
        return _given(name, self.optional_text(name, longest=longest))

    def optional_text(self, name: str, *, longest: int = 255) -> str | None:
        """Read a text, which is not empty when given."""
        value = self._take(name)
        if value is None:
            return None
        if not isinstance(value, str) or isinstance(value, NumberText) or not value.strip():
            raise InvalidInput(f"{name} must be a text that is not empty, not {quote(value)}.")
        if len(value) > longest:
            raise InvalidInput(f"{name} has at most {longest} characters.")
        return value

    def text_or_number(self, name: str) -> str:
        """Read a text or a number, which must be given, as it is written."""
        value = _given(name, self._take(name))
        if isinstance(value, str):
            return str(value)
        raise InvalidInput(f"{name} must be a text or a number, not {quote(value)}.")

    def object(self, name: str) -> dict[str, JsonValue]:
        """Read an object, empty when not given; what is in it is checked by whoever uses it."""
        value = self._take(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise InvalidInput(f"{name} must be an object, not {quote(value)}.")
        return value

    def texts(self, name: str) -> list[str] | None:
        """Read a list of texts."""
        value = self._take(name)
        if value is None:
            return None
        if not isinstance(value, list):
            raise InvalidInput(f"{name} must be a list of texts, not {quote(value)}.")
        if not all(isinstance(one, str) for one in value):
            raise InvalidInput(f"{name} must be a list of texts only.")
        return [str(one) for one in value]

    def choice(self, name: str, words: Iterable[str]) -> str:
        """Read one of some words, which must be given."""
        return _given(name, self.optional_choice(name, words))

    def optional_choice(self, name: str, words: Iterable[str]) -> str | None:
        """Read one of some words, in any letter case."""
        value = self._take(name)
        known = {fold_name(word): str(word) for word in words}
        if value is None:
            return None
        if isinstance(value, str) and fold_name(value) in known:
            return known[fold_name(value)]
        raise InvalidInput(f"{name} must be one of {', '.join(known.values())}, not {quote(value)}.")

    def seconds(self, name: str) -> timedelta:
        """Read a number of seconds, which must be given."""
        return _given(name, self.optional_seconds(name))

    def optional_seconds(self, name: str) -> timedelta | None:
        """Read a number of seconds of zero or more, fractions allowed."""
        value = self._take(name)
        if value is None:
            return None
        if not isinstance(value, NumberText) or not _SECONDS.fullmatch(value):
            raise InvalidInput(f"{name} must be a number of seconds, not {quote(value)}.")
        return timedelta(microseconds=int(Decimal(value) * 1_000_000))

    def whole(self, name: str, *, lowest: int, highest: int = 999_999_999) -> int | None:
        """Read a whole number within bounds."""
        value = self._take(name)
        if value is None:
            return None
        if isinstance(value, NumberText) and _WHOLE.fullmatch(value) and lowest <= int(value) <= highest:
            return int(value)
        raise InvalidInput(f"{name} must be a whole number from {lowest} to {highest}, not {quote(value)}.")

    def flag(self, name: str) -> bool | None:
        """Read true or false."""
        value = self._take(name)
        if value is None or isinstance(value, bool):
            return value
        raise InvalidInput(f"{name} must be true or false, not {quote(value)}.")

    def check_nothing_else(self) -> None:
        """Make sure that nothing was given that nobody read."""
        if unread := sorted(self._values.keys() - self._read):
            known = ", ".join(sorted(self._read))
            raise InvalidInput(f"There is no {', '.join(map(quote, unread))} here; this call knows {known}.")

    def _take(self, name: str) -> JsonValue:
        self._read.add(name)
        return self._values.get(name)


def write_seconds(duration: timedelta) -> NumberText:
    """Write a duration as a number of seconds, the way ``Input.seconds`` reads it."""
    seconds, rest = divmod(duration, timedelta(seconds=1))
    fraction = f"{rest.microseconds:06}".rstrip("0")
    return NumberText(f"{seconds}.{fraction}" if fraction else seconds)


def _given(name: str, value: Value | None) -> Value:
    if value is None:
        raise InvalidInput(f"{name} is missing.")
    return value
