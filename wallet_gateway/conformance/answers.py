"""An answer of the gateway, read as tolerantly as the document allows; which of it is right, the probes say.

Names match in any letter case, as "example payloads vary in letter case of field names".
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Final

_MAX_EXCERPT: Final = 200


MISSING: Final = object()
"""Stands for what is not there, which is something else than null."""


@dataclass(frozen=True)
class Answer:
    """Status, content type and body of one HTTP answer."""

    status: int
    content_type: str
    body: bytes
    retry_after: str = ""

    @cached_property
    def value(self) -> object:
        """The JSON value of the body; MISSING if it is not JSON. Numbers are exact: ``int``, ``Decimal``."""
        try:
            return json.loads(self.body, parse_float=Decimal, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            return MISSING

    @property
    def is_json(self) -> bool:
        """Whether the body is JSON."""
        return self.value is not MISSING

    @property
    def is_error(self) -> bool:
        """Whether the body is an error: it has a code, and nothing of a success."""
        success = ("state", "id", "redirectUrl")
        return has(self.value, "code") and not any(has(self.value, name) for name in success)

    @property
    def is_refusal(self) -> bool:
        """Whether the request was refused: an error body, or any 4xx."""
        return self.is_error or 400 <= self.status < 500

    @property
    def is_success(self) -> bool:
        """Whether the request was carried out: a 2xx with JSON that is no error."""
        return 200 <= self.status < 300 and isinstance(self.value, dict | list) and not self.is_error

    def __str__(self) -> str:
        """Name the status and what came; values are not shown, as they may be keys or personal data."""
        return f"HTTP {self.status} with {self._content()}"

    def _content(self) -> str:
        if self.is_error:
            return f"code {member(self.value, 'code')}{f': {self.message}' if self.message else ''}"
        if isinstance(self.value, dict):
            return f"the members {', '.join(self.value)}"
        if isinstance(self.value, list):
            return f"an array of {len(self.value)}"
        return "JSON" if self.is_json else self.content_type or "an empty body"

    @property
    def message(self) -> str:
        """The text of an error, shortened; empty if there is none."""
        text = member(self.value, "details.message")
        return text[:_MAX_EXCERPT] if isinstance(text, str) else ""

    @property
    def records(self) -> list[dict[str, object]]:
        """The objects of an array, or a single object: whether it is an array is a probe of its own."""
        values = self.value if isinstance(self.value, list) else [self.value]
        return [value for value in values if isinstance(value, dict) and not self.is_error]


def member(value: object, path: str) -> object:
    """Return the member at a path such as ``details.message``, MISSING if there is none."""
    for name in path.split("."):
        members = value.items() if isinstance(value, dict) else ()
        value = next((part for key, part in members if key.casefold() == name.casefold()), MISSING)
    return value


def has(value: object, path: str) -> bool:
    """Whether there is such a member; one that is null counts as left out."""
    return member(value, path) not in (MISSING, None)


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")
