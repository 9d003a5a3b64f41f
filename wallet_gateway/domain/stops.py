"""The words by which a stop of all sending says that a person made it, who, and why.

They are kept as one text beside the pause itself, so that whatever shows the pause shows its author.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

LONGEST = 500
"""Characters of the whole text."""
LONGEST_AUTHOR = 150


class StopVerb(StrEnum):
    """What a person did."""

    STOPPED = "stopped by "
    RESUMED = "resumed by "


@dataclass(frozen=True, slots=True, kw_only=True)
class StopWords:
    """Who stopped or resumed sending, and why."""

    verb: StopVerb
    author: str
    reason: str

    def __str__(self) -> str:
        # A colon would end the author's name too early when it is read again.
        author = self.author.replace(":", " ")[:LONGEST_AUTHOR]
        return f"{self.verb}{author}: {self.reason}"[:LONGEST]


_WORDS = re.compile(r"\A(stopped by |resumed by )([^:]+): (.*)", re.DOTALL)


def read_stop(text: str) -> StopWords | None:
    """Read the words back; None where a machine made the pause."""
    found = _WORDS.fullmatch(text)
    if found is None:
        return None
    return StopWords(verb=StopVerb(found[1]), author=found[2], reason=found[3])
