"""Turns what pydantic found wrong into our sentences: a canonical path, and what would be right.

The only place that knows pydantic's error types. Values are quoted shortly or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

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
    if details["input"] is None or details["type"] == "missing":
        return MISSING
    write = _SENTENCES.get(details["type"])
    return write(details["input"], details.get("ctx", {})) if write else f"{details['msg']}"


def _wrong_text(value: Any, context: dict[str, Any]) -> str:
    if value == "" or not value.strip():
        return "is empty; give a text"
    pattern = context["pattern"]
    if pattern in PATTERNS:
        return PATTERNS[pattern](value)
    return f"{excerpt(value)} has a wrong form"


PATTERNS: dict[str, Callable[[str], str]] = {}
"""What to say of a text that does not match a pattern; filled where the patterns are defined."""

_SENTENCES: dict[str, Callable[[Any, dict[str, Any]], str]] = {
    "string_type": lambda value, context: f"{excerpt(value)} is no text; send text, in quotes",
    "string_unicode": lambda value, context: "holds half of a surrogate pair, which is no character",
    "string_pattern_mismatch": _wrong_text,
    "string_too_long": lambda value, context: (
        f"is too long; at most {context['max_length']} characters are allowed"
    ),
    "int_type": lambda value, context: f"{excerpt(value)} is no whole number; send one, without quotes",
    "greater_than_equal": lambda value, context: (
        f"{excerpt(value)} is too small; the least is {context['ge']}"
    ),
    "less_than_equal": lambda value, context: f"{excerpt(value)} is too large; the most is {context['le']}",
    "enum": lambda value, context: f"{excerpt(value)} is not known; give {context['expected']}",
    "literal_error": lambda value, context: f"{excerpt(value)} is not known; give {context['expected']}",
    "model_type": lambda value, context: f"{excerpt(value)} is no object; send one, in braces",
    "model_attributes_type": lambda value, context: f"{excerpt(value)} is no object; send one, in braces",
    "tuple_type": lambda value, context: f"{excerpt(value)} is no list; send one, in brackets",
    "value_error": lambda value, context: str(context["error"]),
}
