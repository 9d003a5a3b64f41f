"""The migration file: the deposits of an earlier provider that may be refunded.

"It is used together with a migration file process through which the service learns which earlier transactions
can be refunded." The format is this project's: UTF-8 CSV with a header. Rows are read one by one, so a file
may have any length; a wrong row is reported with its line and does not stop the others. What a spreadsheet
saves is read as well: semicolons or tabs, UTF-16 with a byte order mark, rows of empty cells.

Note [Bytes that are not UTF-8]: a file opened as text is decoded in blocks, and an undecodable byte loses its
whole block. The next block begins in the middle of a line and may look like a deposit that never existed. So
lines are read as bytes. A bad byte passes through the CSV reader as a lone surrogate, which leaves the cells
and quotes around it intact; then the whole row is refused.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Annotated, cast

from pydantic import AfterValidator, Field, Strict, field_validator

from wallet_gateway.protocol.card_numbers import has_card_number
from wallet_gateway.protocol.errors import FieldError, InvalidMessage
from wallet_gateway.protocol.field_types import PATTERN_MESSAGES, Amount, CurrencyCode, PositiveAmount, Text
from wallet_gateway.protocol.money import Money, scaled_units
from wallet_gateway.protocol.status import read_timestamp
from wallet_gateway.protocol.strict_json import fold_name
from wallet_gateway.protocol.text import quote
from wallet_gateway.protocol.wire import WireModel

# A cell that begins with = + - or @ is a formula to a spreadsheet, and staff open these files in one.
_FILE_ID = r"^[A-Za-z0-9_][A-Za-z0-9_.:/=+-]{0,254}$"
PATTERN_MESSAGES[_FILE_ID] = lambda text: (
    f"{quote(text)} is no identifier; use A-Z a-z 0-9 _ . : / = + -, beginning with a letter, digit or _"
)


def _check_no_card(identifier: str) -> str:
    if has_card_number(identifier):
        raise ValueError("has the form of a card number, which is not stored")
    return identifier


FileId = Annotated[str, Strict(), Field(pattern=_FILE_ID), AfterValidator(_check_no_card)]


_NOT_UTF_8 = "not UTF-8; save the file in UTF-8"
_BARE_CR = re.compile(r"\r(?!\n)")
_BAD_BYTE = re.compile(r"[\ud800-\udfff]")


class MigrationRow(WireModel):
    """One deposit of an earlier provider, and the amount refunded there."""

    parent_transaction_id: FileId
    transaction_date_time: Text
    amount: PositiveAmount
    currency: CurrencyCode = Field(alias="currencyCode")
    refunded_amount: Amount
    provider_transaction_id: FileId

    @property
    def money(self) -> Money:
        """The deposit."""
        return Money.parse(self.amount, self.currency)

    @property
    def refunded(self) -> Money:
        """The amount refunded before the migration."""
        return Money.parse(self.refunded_amount, self.currency, allow_zero=True)

    @property
    def transacted_at(self) -> datetime:
        """The time of the deposit, in UTC."""
        return read_timestamp(self.transaction_date_time)

    @field_validator("transaction_date_time")
    @classmethod
    def _is_a_time(cls, text: str) -> str:
        read_timestamp(text)
        return text

    def faults(self) -> Iterator[FieldError]:
        """Yield the fault of more than was paid."""
        if scaled_units(self.refunded_amount) > scaled_units(self.amount):
            message = f"{self.refunded_amount} is more than the amount {self.amount}"
            yield FieldError("refundedAmount", message)


COLUMNS = tuple(MigrationRow.wire_names.values())
"""The header of the file."""


@dataclass(frozen=True, slots=True)
class RowError:
    """A refused row: its line (the header is line 1) and the reason."""

    line: int
    reason: str


def read_rows(lines: Iterable[str | bytes]) -> Iterator[tuple[int, MigrationRow | str]]:
    """Yield each row of a migration file, or why it is refused, with the line on which it ends.

    The header is line 1; one that lacks a column is refused and ends the reading. Open the file as binary: in
    one opened as text nothing is read after a byte that is not UTF-8. See Note [Bytes that are not UTF-8].
    """
    texts, reader = _text_lines(lines), None
    seen: set[str] = set()
    try:
        first = next(texts, "").removeprefix("\ufeff")
        reader = csv.reader(chain([first], texts), delimiter=max(",;\t", key=first.count), strict=True)
        header = _cells(reader)
        if isinstance(header, str):
            yield reader.line_num, header
            return
        names = [_COLUMN_OF.get(fold_name(cell.strip()), "") for cell in header or ()]
        if sorted(filter(None, names)) != sorted(COLUMNS):
            missing = f"the header must have the columns {', '.join(COLUMNS)}, each once"
            yield 1, f"{missing}; they are parted by commas, semicolons or tabs"
            return
        while (cells := _cells(reader)) is not None:
            if row := cells if isinstance(cells, str) else _row(names, cells, seen):
                yield reader.line_num, row
    except UnicodeDecodeError:
        yield (reader.line_num if reader else 0) + 1, f"{_NOT_UTF_8}; nothing behind it was read"


def _cells(reader: Iterator[list[str]]) -> list[str] | str | None:
    """Return the cells of the next row, or why they cannot be read; None at the end."""
    try:
        cells = next(reader, None)
    except csv.Error as error:
        return f"not CSV: {error}"
    return _NOT_UTF_8 if cells and _BAD_BYTE.search("".join(cells)) else cells


def _row(names: list[str], cells: list[str], seen: set[str]) -> MigrationRow | str:
    """Return a row, or why it is refused; empty for one of empty cells."""
    if not any(map(str.strip, cells)):
        return ""
    if len(cells) != len(names):
        return f"has {len(cells)} cells; the header has {len(names)}"
    try:
        row = MigrationRow.from_wire({name: cell for name, cell in zip(names, cells, strict=True) if name})
    except InvalidMessage as error:
        return "; ".join(map(str, error.errors))
    if row.parent_transaction_id in seen:
        return f"{quote(row.parent_transaction_id)} stands in an earlier row already"
    seen.add(row.parent_transaction_id)
    return row


def _text_lines(lines: Iterable[str | bytes]) -> Iterator[str]:
    """Yield the lines of a file as text; a bad byte becomes a surrogate."""
    parts = iter(lines)
    first = next(parts, "")
    parts = chain([first], parts)
    if isinstance(first, bytes) and first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        parts = _utf_16_lines(cast(Iterator[bytes], parts))
    texts: Iterator[str] = (
        part.decode("utf-8", "surrogateescape") if isinstance(part, bytes) else part for part in parts
    )
    header = next(texts, "")
    # Old spreadsheets of a Mac end a line with CR alone. Elsewhere half of a row could look like a deposit.
    if _BARE_CR.search(header):
        header, *others = io.StringIO(header, newline="")
        texts = chain(others, (line for text in texts for line in io.StringIO(text, newline="")))
    yield header
    yield from texts


def _utf_16_lines(parts: Iterator[bytes]) -> Iterator[str]:
    """Decode parts that were cut at each byte of a line feed, which may be the half of another character."""
    rest = ""
    for text in codecs.iterdecode(parts, "utf-16", "surrogatepass"):
        *whole, rest = (rest + text).split("\n")
        yield from (f"{line}\n" for line in whole)
    yield rest


_COLUMN_OF = {fold_name(name): name for name in COLUMNS}


def write_rows(rows: Iterable[MigrationRow]) -> Iterator[str]:
    """Write a migration file line by line, header first; each line ends with CR LF."""
    yield _csv_line(COLUMNS)
    for row in rows:
        values = row.to_wire()
        yield _csv_line(tuple(values[name] for name in COLUMNS))


def _csv_line(cells: tuple[str, ...]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer).writerow(cells)
    return buffer.getvalue()
