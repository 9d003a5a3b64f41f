"""What stands in a log line: one line for one event, of bounded length, without content of rows or bodies.

Whoever writes into a log what a gateway or a database says writes what others chose: a line break in it would
be a line of its own, and a database's complaint quotes the whole row.
"""

from __future__ import annotations

from pathlib import PurePath
from traceback import walk_tb

LONGEST_TEXT = 300
_MOST_PLACES = 8


def one_line(value: object) -> str:
    """Give a text with everything escaped that is not printed as itself, at most 300 characters of it."""
    text = str(value)[: LONGEST_TEXT + 1]
    escaped = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return escaped if len(escaped) <= LONGEST_TEXT else escaped[: LONGEST_TEXT - 3] + "..."


def failure(error: BaseException) -> str:
    """Name a failure by its class, its cause's class and the last places it came through, in one line."""
    classes = type(error).__name__
    if error.__cause__ is not None:
        classes += f" from {type(error.__cause__).__name__}"
    places = [
        f"{PurePath(frame.f_code.co_filename).name}:{line}" for frame, line in walk_tb(error.__traceback__)
    ]
    return one_line(f"{classes} at {' > '.join(places[-_MOST_PLACES:]) or 'an unknown place'}")
