"""The migration file: rows, their line numbers, and which rows of a broken file are still read."""

from __future__ import annotations

import io
import itertools
import tracemalloc
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.tables import every
from wallet_gateway.protocol import migration_file
from wallet_gateway.protocol.card_numbers import has_card_number
from wallet_gateway.protocol.migration_file import COLUMNS, MigrationRow, RowError, write_rows
from wallet_gateway.protocol.money import Money

HEADER = "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId"


GOOD = "OLD-1,2023-04-05T06:07:08.1234567,100.00,EUR,25.50,P/77:a=b"


def read_rows(lines: Iterable[str | bytes]) -> Iterator[MigrationRow | RowError]:
    for line, row in migration_file.read_rows(lines):
        yield RowError(line, row) if isinstance(row, str) else row


def rows_of(*lines: str) -> list[MigrationRow | RowError]:
    return list(read_rows([f"{line}\r\n" for line in (HEADER, *lines)]))


def row(**changes: object) -> MigrationRow:
    values: dict[str, object] = {
        "parent_transaction_id": "OLD-1",
        "transaction_date_time": "2023-04-05T06:07:08.1234567",
        "amount": Decimal(100),
        "currency": "EUR",
        "refunded_amount": Decimal("25.5"),
        "provider_transaction_id": "P/77:a=b",
    }
    return MigrationRow.build(**values | changes)


def test_a_row_is_a_deposit_and_what_of_it_was_refunded() -> None:
    (read,) = rows_of(GOOD)
    assert read == row()
    assert (row().money, row().refunded) == (Money.parse("100.00", "EUR"), Money.parse("25.50", "EUR"))
    assert row().transacted_at.isoformat() == "2023-04-05T06:07:08.123456+00:00"


@every(
    ("header", "line"),
    [
        (HEADER.upper(), GOOD),
        (HEADER.replace(",", " , "), GOOD),
        ("\ufeff" + HEADER, GOOD),
        (HEADER + ",comment", GOOD + ",kept for the audit"),
        ("comment," + HEADER, '"a, b",' + GOOD),
        (HEADER + ",,", GOOD + ",,"),
    ],
)
def test_a_header_is_read_in_any_case_and_beside_other_columns(header: str, line: str) -> None:
    assert list(read_rows([header, line])) == [row()]


COLUMNS_WANTED = (
    f"the header must have the columns {', '.join(COLUMNS)}, each once;"
    " they are parted by commas, semicolons or tabs"
)
LATIN_1 = f"{HEADER},caf\u00e9\n{GOOD}\n".encode("latin-1")
BAD_HEADERS: list[tuple[Iterable[str] | Iterable[bytes], str]] = [
    *(
        ([header, GOOD, GOOD], COLUMNS_WANTED)
        for header in (
            *("", "parentTransactionId", GOOD, HEADER + ",AMOUNT"),
            *(HEADER.replace(*change) for change in (("amount,", ""), (",", "|"), ("amount", "sum"))),
        )
    ),
    ([], COLUMNS_WANTED),
    (['"parentTransactionId"x,', GOOD], "not CSV: "),
    (io.BytesIO(LATIN_1), "not UTF-8; save the file in UTF-8"),
    (io.TextIOWrapper(io.BytesIO(LATIN_1), "utf-8"), "not UTF-8; save the file in UTF-8"),
]


@every(("lines", "reason"), BAD_HEADERS)
def test_a_header_that_lacks_or_repeats_a_column_is_one_error_and_ends_the_reading(
    lines: Iterable[str] | Iterable[bytes], reason: str
) -> None:
    (error,) = read_rows(lines)
    assert isinstance(error, RowError)
    assert error.line == 1
    assert error.reason.startswith(reason)


def test_every_row_has_its_line_and_a_wrong_one_does_not_stop_the_others() -> None:
    found = rows_of(GOOD, GOOD.replace("100.00", "100,00"), "", GOOD.replace("OLD-1", '"OLD-2"'), "x", "")
    assert [type(each) for each in found] == [MigrationRow, RowError, MigrationRow, RowError]
    assert found[1::2] == [
        RowError(3, "has 7 cells; the header has 6"),
        RowError(6, "has 1 cells; the header has 6"),
    ]
    # The line of a row of several lines is its last.
    found = rows_of('"OLD', '1",2023-04-05T06:07:08,1,EUR,0,P1', "x")
    assert [each.line for each in found if isinstance(each, RowError)] == [3, 4]


MOMENT = "2023-04-05T06:07:08.1234567"


@every(
    ("change", "to", "reason"),
    [
        ("OLD-1", "", "parentTransactionId: "),
        ("OLD-1", '"=cmd|x"', "parentTransactionId: '=cmd|x' is no identifier"),
        ("OLD-1", "+1", "parentTransactionId: '+1' is no identifier"),
        ("OLD-1", "-1", "parentTransactionId: '-1' is no identifier"),
        ("OLD-1", "@x", "parentTransactionId: '@x' is no identifier"),
        ("OLD-1", "\u0130D", r"parentTransactionId: '\u0130D' is no identifier"),
        ("OLD-1", "a b", "parentTransactionId: 'a b' is no identifier"),
        ("OLD-1", "x" * 256, "parentTransactionId: "),
        ("OLD-1", "4111.1111/1111-1111", "parentTransactionId: has the form of a card number"),
        ("P/77:a=b", "No4111111111111111", "providerTransactionId: has the form of a card number"),
        ("P/77:a=b", "=P", "providerTransactionId: '=P' is no identifier"),
        ("P/77:a=b", "", "providerTransactionId: "),
        ("100.00", "", "amount: '' is no amount"),
        ("100.00", "0.00", "amount: the amount is zero"),
        ("100.00", '"100,00"', "amount: '100,00' is no amount"),
        ("100.00", "100.001", "amount: '100.001' is finer"),
        ("25.50", "-1", "refundedAmount: '-1' is no amount"),
        ("25.50", "100.01", "refundedAmount: 100.01 is more than the amount 100.00"),
        ("EUR", "EURO", "currencyCode: 'EURO' is no currency"),
        ("EUR", "", "currencyCode: "),
        (MOMENT, "05.04.2023", "transactionDateTime: '05.04.2023' is no time"),
        (MOMENT, "", "transactionDateTime: "),
    ],
)
def test_a_wrong_cell_is_told_with_its_column_and_what_is_wrong(change: str, to: str, reason: str) -> None:
    (error,) = rows_of(GOOD.replace(change, to, 1))
    assert isinstance(error, RowError)
    assert error.line == 2
    assert error.reason.startswith(reason)
    assert not has_card_number(error.reason)
    assert len(error.reason) < 200


def test_all_that_is_wrong_with_a_row_is_told_at_once() -> None:
    (error,) = rows_of("=1,yesterday,0,EUR,x,@P")
    assert isinstance(error, RowError)
    assert {name for name in COLUMNS if f"{name}: " in error.reason} == set(COLUMNS) - {"currencyCode"}


def test_a_deposit_that_stands_twice_is_taken_once() -> None:
    found = rows_of(GOOD, GOOD.replace("100.00", "999.00"), GOOD.replace("OLD-1", "old-1"))
    assert [type(each) for each in found] == [MigrationRow, RowError, MigrationRow]
    assert found[1] == RowError(3, "'OLD-1' stands in an earlier row already")


@every("line", ['"OLD-1"x,1,1,EUR,0,P', "OLD\rx,1,1,EUR,0,P", '"' + "x" * 140_000 + '",1,1,EUR,0,P'])
def test_a_line_that_is_no_csv_does_not_stop_the_others(line: str) -> None:
    found = list(read_rows([HEADER + "\n", line + "\n", GOOD + "\n"]))
    assert any(isinstance(each, RowError) and "CSV" in each.reason for each in found)
    assert found[-1] == row()
    unclosed = rows_of(GOOD, '"OLD-2,2023')[-1]
    assert isinstance(unclosed, RowError)
    assert unclosed.reason.startswith("not CSV: ")


@pytest.mark.parametrize("errors", [None, "strict", "surrogateescape"])
def test_one_bad_byte_costs_one_row_and_invents_no_deposit(tmp_path: Path, errors: str | None) -> None:
    path = tmp_path / "deposits.csv"
    lines = [GOOD.replace("OLD-1", f"OLD-{number}").encode() for number in range(1000)]
    lines[500] = lines[500].replace(b"P/77", b"P\xff77")
    path.write_bytes(b"\n".join([HEADER.encode(), *lines]))
    opened = path.open("rb") if errors is None else path.open(encoding="utf-8", errors=errors, newline="")
    with opened as file:
        found = list(read_rows(file))
    deposits = [each.parent_transaction_id for each in found if isinstance(each, MigrationRow)]
    (error,) = [each for each in found if isinstance(each, RowError)]
    assert set(deposits) <= {f"OLD-{number}" for number in range(1000)} - {"OLD-500"}
    if errors == "strict":
        assert error.reason == "not UTF-8; save the file in UTF-8; nothing behind it was read"
    else:
        assert len(deposits) == 999
    if errors is None:
        assert error == RowError(502, "not UTF-8; save the file in UTF-8")


def saved(text: str, encoding: str) -> Iterator[bytes]:
    """Yield the lines of a binary file as Python does: cut behind each byte of a line feed."""
    yield from io.BytesIO(text.encode(encoding))


@every(
    ("separator", "encoding", "line_end", "mark"),
    [
        (";", "utf-8", "\r\n", "\ufeff"),
        ("\t", "utf-8", "\n", ""),
        ("\t", "utf-16", "\r\n", ""),
        ("\t", "utf-16-le", "\n", "\ufeff"),
        (",", "utf-16-be", "\r\n", "\ufeff"),
        (";", "utf-8", "\r", ""),
        (",", "utf-16", "\r", ""),
    ],
)
def test_a_file_that_a_spreadsheet_has_saved_is_read(
    separator: str, encoding: str, line_end: str, mark: str
) -> None:
    empty = "," * 6
    # Of the comments' letters one has the byte of a line feed, and both have two in UTF-8.
    others = [GOOD.replace("OLD-1", f"OLD-{number}") + ",\u010a\u0a0a" for number in (2, 3)]
    lines = [HEADER + ",comment", GOOD + ",", empty, others[0], " ,,,,, ,", "", others[1], empty, ""]
    text = mark + line_end.join(lines).replace(",", separator)
    found = [
        each.parent_transaction_id if isinstance(each, MigrationRow) else each
        for each in read_rows(saved(text, encoding))
    ]
    assert found == ["OLD-1", "OLD-2", "OLD-3"]


def test_a_file_in_half_a_code_is_an_error_and_half_a_character_costs_its_row_alone() -> None:
    whole = f"{HEADER}\n{GOOD}\n"
    for text in (whole.encode("utf-16")[:-1], whole.encode("utf-16-le")):
        assert isinstance(list(read_rows(io.BytesIO(text)))[-1], RowError)
    commented = f"{HEADER},comment\n{GOOD},\ud800\n{GOOD.replace('OLD-1', 'OLD-2')},\n"
    bad, good = read_rows(io.BytesIO(commented.encode("utf-16", "surrogatepass")))
    assert bad == RowError(2, "not UTF-8; save the file in UTF-8")
    assert isinstance(good, MigrationRow)


def test_rows_are_read_one_by_one_and_a_long_file_of_wrong_rows_is_not_held_in_memory() -> None:
    endless = itertools.chain([HEADER], (GOOD.replace("OLD-1", f"OLD-{n}") for n in itertools.count()))
    first = list(itertools.islice(read_rows(endless), 3))
    ids = [each.parent_transaction_id for each in first if isinstance(each, MigrationRow)]
    assert ids == ["OLD-0", "OLD-1", "OLD-2"]
    tracemalloc.start()
    count = sum(1 for _ in read_rows(itertools.chain([HEADER], itertools.repeat("x" * 200, 20_000))))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 20_000
    assert peak < 1_000_000


IDS = st.from_regex(r"\A[A-Za-z0-9_][A-Za-z0-9_.:/=+-]{0,40}\Z")


@given(
    parents=st.lists(IDS, unique=True, max_size=5),
    units=st.integers(min_value=1, max_value=10**14 - 1),
    share=st.integers(min_value=0, max_value=100),
    currency=st.sampled_from(["JPY", "EUR", "KWD", "CLF"]),
    provider=IDS,
)
def test_what_is_written_is_read_back(
    parents: list[str], units: int, share: int, currency: str, provider: str
) -> None:
    written = [
        row(
            parent_transaction_id=parent,
            amount=Money.from_minor_units(units, currency),
            refunded_amount=Money.from_minor_units(units * share // 100, currency),
            currency=currency,
            provider_transaction_id=provider,
        )
        for parent in parents
    ]
    assert list(read_rows(write_rows(written))) == written
    assert list(write_rows([row()])) == [f"{HEADER}\r\n", f"{GOOD}\r\n"]


@given(lines=st.lists(st.text(max_size=40), max_size=6))
def test_any_text_makes_rows_or_errors_and_nothing_else(lines: list[str]) -> None:
    for each in read_rows([HEADER + "\n", *lines]):
        assert isinstance(each, MigrationRow | RowError)
        if isinstance(each, RowError):
            assert 2 <= each.line <= len(lines) + 1
            assert each.reason
