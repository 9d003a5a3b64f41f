"""Text from other parties, made safe to quote, to log, to show, to store and to export. Pure.

Each function serves one reader: a person who reads an error, a log, a page of the admin, a mail header, a
database, a spreadsheet. Escaping for HTML is the templates' task.
"""

from __future__ import annotations

import re
import unicodedata

from wallet_gateway.protocol.card_numbers import mask_card_numbers

MAX_QUOTE_LENGTH = 60
MAX_LOG_LENGTH = 300
MAX_VISIBLE_LENGTH = 500

_FORMULA = frozenset("=+-@")
_LINE_SIGNS = frozenset("\t\r\n")
_BIDI_CONTROLS = re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LONGEST_NUMBER = 900
"""Characters of which a card number may consist, with all its separators."""
_NOT_STORABLE = re.compile(r"[\x00\ud800-\udfff]")


def quote(value: object) -> str:
    """Quote a value in at most 60 ASCII characters, escaped, so that an error is safe to log and to show.

    Of a card number the last four digits are left.
    """
    if isinstance(value, str):
        read = mask_card_numbers(str(value[: MAX_QUOTE_LENGTH + _LONGEST_NUMBER]))
        quoted = ascii(read[:MAX_QUOTE_LENGTH])
        whole = len(value) <= MAX_QUOTE_LENGTH
    elif value is None or isinstance(value, bool | float):
        return str(value)
    elif isinstance(value, int):
        # Python refuses to print an integer of more than 4300 digits, and printing a long one is slow.
        return mask_card_numbers(str(value)) if value.bit_length() < 150 else "a number of many digits"
    else:
        return f"a value of type {type(value).__name__}"[:MAX_QUOTE_LENGTH]
    if whole and len(quoted) <= MAX_QUOTE_LENGTH:
        return quoted
    return quoted[: MAX_QUOTE_LENGTH - 3] + "..."


def visible(text: object, *, max_length: int = MAX_VISIBLE_LENGTH) -> str:
    """Return at most `max_length` characters of a text on one line, with invisible characters escaped.

    A right-to-left override or a zero-width character would let a customer or a gateway make a page read
    otherwise than it is. Blanks such as the no-break space stay as they are.
    """
    whole = str(text)
    # str.isprintable is false for controls, formatting (bidi overrides, joiners), private and unassigned
    # characters, separators of lines, and all blanks but the ASCII one.
    shown = "".join(
        c if c.isprintable() or unicodedata.category(c) == "Zs" else _escape(c) for c in whole[:max_length]
    )
    return f"{shown}…" if len(whole) > max_length else shown


def one_line(value: object) -> str:
    """Return a value as part of a log line: unprintable characters escaped, at most 300 characters."""
    text = str(value)[: MAX_LOG_LENGTH + 1]
    escaped = "".join(c if c.isprintable() else _escape(c) for c in text)
    return escaped if len(escaped) <= MAX_LOG_LENGTH else f"{escaped[: MAX_LOG_LENGTH - 3]}..."


def header_line(text: str) -> str:
    """Return a text as it can stand in a mail header: each run of white space becomes one space."""
    return " ".join(text.split())


def printable(text: str) -> str:
    """Replace each unprintable character by a space; the length stays the same."""
    return "".join(c if c.isprintable() else " " for c in text)


def without_bidi_controls(text: str) -> str:
    """Return a text without the invisible characters that turn the direction of what follows.

    Text is written in its own direction without them. An override would show a name other than it is.
    """
    return _BIDI_CONTROLS.sub("", text)


def is_storable(text: object) -> bool:
    """Whether a value is a text that every database stores unchanged: no NUL, no half surrogate pair."""
    return isinstance(text, str) and not _NOT_STORABLE.search(text)


def storable(text: str | None) -> str:
    """Return a text with U+FFFD for each character that not every database can store; None is empty."""
    return _NOT_STORABLE.sub("\ufffd", text or "")


def escape_formula(text: str) -> str:
    """Return a CSV cell that no spreadsheet takes for a formula: an apostrophe precedes a dangerous one.

    Spreadsheets skip what cannot be seen before a sign, and some take a full-width or small sign for it.
    """
    with_ink = (at for at, character in enumerate(text) if unicodedata.category(character)[0] not in "ZC")
    at = next(with_ink, len(text))
    is_formula = unicodedata.normalize("NFKC", text[at : at + 1]) in _FORMULA
    return f"'{text}" if is_formula or not _LINE_SIGNS.isdisjoint(text[:at]) else text


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
