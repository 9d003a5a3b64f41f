"""JSON text laid out for reading: only white space changes; numbers, names, order and broken text stay."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

# A body may be nested a thousand deep; from here on the indent stops growing, or the text would explode.
MAX_INDENT: Final = 16

# A text without its closing quote takes all the rest, so that no quote is tried in vain.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\],:]|[^\s"{}\[\],:]++', re.DOTALL)
_OPENING = frozenset("{[")
_CLOSING = frozenset("}]")


def duration_text(duration: timedelta) -> str:
    """Hours, minutes and seconds, the same in every language: ``0:15:00``, ``26:00:00``, ``0:00:02.5``."""
    minutes, seconds = divmod(duration, timedelta(minutes=1))
    hours, minutes = divmod(minutes, 60)
    fraction = f".{seconds.microseconds:06d}".rstrip("0") if seconds.microseconds else ""
    return f"{hours}:{minutes:02d}:{seconds.seconds:02d}{fraction}"


def indent_json(text: str) -> str:
    """The JSON text over several lines; text that does not begin like JSON as it is."""
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
