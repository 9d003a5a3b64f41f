"""Durations and JSON text as the console shows them; formatting JSON changes white space only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

# A body may be nested a thousand levels deep; without a limit the text would become huge.
MAX_INDENT: Final = 16

# An unterminated string takes the rest of the text, so that the regular expression never backtracks.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\],:]|[^\s"{}\[\],:]++', re.DOTALL)
_OPENING = frozenset("{[")
_CLOSING = frozenset("}]")


def duration_text(duration: timedelta) -> str:
    """Return hours, minutes and seconds for any language: ``0:15:00``, ``26:00:00``, ``0:00:02.5``."""
    minutes, seconds = divmod(duration, timedelta(minutes=1))
    hours, minutes = divmod(minutes, 60)
    fraction = f".{seconds.microseconds:06d}".rstrip("0") if seconds.microseconds else ""
    return f"{hours}:{minutes:02d}:{seconds.seconds:02d}{fraction}"


def indent_json(text: str) -> str:
    """Return JSON text with line breaks and indentation; text that is not an object or list is unchanged."""
    stripped = text.strip()
    if not stripped or stripped[0] not in _OPENING:
        return text
    return "".join(_pieces(_TOKEN.findall(stripped)))


def _pieces(tokens: list[str]) -> Iterator[str]:
    depth = 0
    previous = ""
    for token in tokens:
        if token in _CLOSING:
            depth = max(0, depth - 1)
            if previous not in _OPENING:
                yield _line_break(depth)
        elif previous in _OPENING or previous == ",":
            yield _line_break(depth)
        elif previous == ":":
            yield " "
        if token in _OPENING:
            depth += 1
        yield token
        previous = token


def _line_break(depth: int) -> str:
    return "\n" + "  " * min(depth, MAX_INDENT)
