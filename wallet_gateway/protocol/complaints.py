"""Turns what pydantic found wrong into our sentences: a canonical path, and what would be right.

The only place that knows pydantic's error types. Values are quoted shortly or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from wallet_gateway.protocol.errors import FieldError, InvalidMessage, excerpt

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

MISSING = "is missing; it is mandatory"


def complaints_of(error: ValidationError) -> Iterator[FieldError]:
    """Every fault pydantic found, in our words."""
    for details in error.errors(include_url=False):
        path = wire_path(details["loc"])
        cause = details.get("ctx", {}).get("error")
        if isinstance(cause, InvalidMessage):
            yield from (fault.under(path) for fault in cause.errors)
        else:
            yield FieldError(path, _sentence(details))


def wire_path(location: tuple[int | str, ...]) -> str:
    """Write a location as ``shoppingCartDetails.itemDetails[3].unitAmount``."""
    path = ""
    for step in location:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
    return path


def _sentence(details: ErrorDetails) -> str:
    value, kind = details["input"], details["type"]
    if value is None or kind == "missing":
        return MISSING
    if kind == "string_pattern_mismatch":
        return PATTERNS[details["ctx"]["pattern"]](value)
    if kind in _SENTENCES:
        return _SENTENCES[kind].format(excerpt(value), **details.get("ctx", {}))
    return details["msg"]


PATTERNS: dict[str, Callable[[str], str]] = {}
"""What to say of a text that does not match a pattern; each is added where its pattern is defined."""

_SENTENCES = {
    "string_type": "{0} is no text; give text",
    "string_unicode": "holds half of a surrogate pair, which is no character",
    "string_too_long": "is too long; at most {max_length} characters are allowed",
    "int_type": "{0} is no whole number; give one, without quotes",
    "greater_than_equal": "{0} is too small; the least is {ge}",
    "less_than_equal": "{0} is too large; the most is {le}",
    "enum": "{0} is not known; give {expected}",
    "literal_error": "{0} is not known; give {expected}",
    "model_type": "{0} is no object; give one",
    "tuple_type": "{0} is no list; give one",
    "value_error": "{error}",
}
