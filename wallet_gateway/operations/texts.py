"""Texts that people and programs give us to keep: what every database can store, and what none can."""

from __future__ import annotations

import re

from wallet_gateway.operations.errors import OperationRefused

_NO_CHARACTER = re.compile(r"[\x00\ud800-\udfff]")

WHAT_IS_NO_TEXT = "none of them NUL or half of a surrogate pair"
"""Ends a sentence on what a text may hold."""


class UnstorableText(OperationRefused):
    """A text cannot be stored: it holds a NUL, or half of a surrogate pair, which is no character."""


def is_storable(text: object) -> bool:
    """Whether a value is a text that every database takes as it is."""
    return isinstance(text, str) and not _NO_CHARACTER.search(text)


def check_storable(**texts: object) -> None:
    """Refuse texts that cannot be stored; raises UnstorableText that names the first of them."""
    for name, text in texts.items():
        if not is_storable(text):
            raise UnstorableText(f"{name}: must be text, its characters {WHAT_IS_NO_TEXT}")
