"""The migration file: rows, their line numbers, and which rows of a broken file are still read."""

from __future__ import annotations

import csv
import io
import itertools
import tracemalloc
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import every
from wallet_gateway.protocol.card_numbers import has_card_number
from wallet_gateway.protocol.migration_file import COLUMNS, MigrationRow, RowError, read_rows, write_rows
from wallet_gateway.protocol.money import Money

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HEADER = "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId"
GOOD = "OLD-1,2023-04-05T06:07:08.1234567,100.00,EUR,25.50,P/77:a=b"


def rows_of(*lines: str) -> list[MigrationRow | RowError]:
    return list(read_rows([f"{line}\r\n" for line in (HEADER, *lines)]))


def one_error(*lines: str) -> RowError:
    errors = [row for row in rows_of(*lines) if isinstance(row, RowError)]
    assert len(errors) == 1
    return errors[0]


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
    assert isinstance(read, MigrationRow)
    assert (read.parent_transaction_id, read.provider_transaction_id) == ("OLD-1", "P/77:a=b")
    assert read.money == Money.parse("100.00", "EUR")
    assert read.refunded == Money.parse("25.50", "EUR")
    assert read.transacted_at.isoformat() == "2023-04-05T06:07:08.123456+00:00"
    assert read == row()


@pytest.mark.parametrize(
    ("amount", "currency", "refunded", "held"),
    [
        ("100", "EUR", "0", ("100.00", "0.00")),
        ("100.5", "eur", "100.50", ("100.50", "100.50")),
        ("100", "JPY", "0", ("100", "0")),
        ("1.5", "KWD", "0.001", ("1.500", "0.001")),
        ("1", "CLF", "0", ("1.0000", "0.0000")),
    ],
)
def test_amounts_are_held_with_their_currencys_decimals(
    amount: str, currency: str, refunded: str, held: tuple[str, str]
) -> None:
    (read,) = rows_of(f"OLD-1,2023-04-05 06:07:08,{amount},{currency},{refunded},P1")
    assert isinstance(read, MigrationRow)
    assert (read.amount, read.refunded_amount) == held
    assert read.currency == currency.upper()


@every(
    ("header", "line"),
    [
        (HEADER.upper(), GOOD),
        (HEADER.lower(), GOOD),
        (HEADER.replace(",", " , "), GOOD),
        ("\ufeff" + HEADER, GOOD),
        (HEADER + ",comment", GOOD + ",kept for the audit"),
        ("comment," + HEADER, '"a, b",' + GOOD),
        (HEADER + ",,", GOOD + ",,"),
    ],
    ids=["upper", "lower", "blanks", "mark", "extra behind", "extra before", "empty cells"],
)
def test_a_header_is_read_in_any_case_and_beside_other_columns(header: str, line: str) -> None:
    assert list(read_rows([header, line])) == [row()]


@every(
    "header",
    [
        "",
        "parentTransactionId",
        HEADER.replace("amount,", ""),
        HEADER.replace(",", "|"),
        HEADER.replace(",", " "),
        HEADER.replace("amount", "sum"),
        HEADER + ",amount",
        HEADER + ",AMOUNT",
        GOOD,
        "<html>",
    ],
)
def test_a_header_that_lacks_or_repeats_a_column_is_one_error_and_ends_the_reading(header: str) -> None:
    (error,) = read_rows([header, GOOD, GOOD])
    assert isinstance(error, RowError)
    assert error.line == 1
    columns = f"the header must have the columns {', '.join(COLUMNS)}, each once"
    assert error.reason == f"{columns}; they are parted by commas, semicolons or tabs"


def test_a_file_of_nothing_has_no_header() -> None:
    (error,) = read_rows([])
    assert isinstance(error, RowError)
    assert error.line == 1


def test_a_header_that_is_no_csv_is_one_error() -> None:
    (error,) = read_rows(['"parentTransactionId"x,', GOOD])
    assert isinstance(error, RowError)
    assert error.line == 1
    assert error.reason.startswith("not CSV: ")


def test_every_row_has_its_line_and_a_wrong_one_does_not_stop_the_others() -> None:
    found = rows_of(GOOD, GOOD.replace("100.00", "100,00"), "", GOOD.replace("OLD-1", "OLD-2"), "x", "")
    assert isinstance(found[0], MigrationRow)
    assert found[1] == RowError(3, "has 7 cells; the header has 6")
    assert isinstance(found[2], MigrationRow)
    assert found[3] == RowError(6, "has 1 cells; the header has 6")
    assert len(found) == 4


def test_the_line_of_a_row_of_several_lines_is_its_last() -> None:
    found = rows_of('"OLD', '1",2023-04-05T06:07:08,1,EUR,0,P1', "x")
    assert [each.line for each in found if isinstance(each, RowError)] == [3, 4]


@every(
    ("change", "to", "reason"),
    [
        ("OLD-1", "", "parentTransactionId: "),
        ("OLD-1", '"=cmd|x"', "parentTransactionId: '=cmd|x' is no identifier"),
        ("OLD-1", "=1+1", "parentTransactionId: '=1+1' is no identifier"),
        ("OLD-1", "+1", "parentTransactionId: '+1' is no identifier"),
        ("OLD-1", "-1", "parentTransactionId: '-1' is no identifier"),
        ("OLD-1", "@x", "parentTransactionId: '@x' is no identifier"),
        ("OLD-1", "\u0130D", r"parentTransactionId: '\u0130D' is no identifier"),
        ("OLD-1", "a b", "parentTransactionId: 'a b' is no identifier"),
        ("OLD-1", "x" * 256, "parentTransactionId: "),
        ("OLD-1", "4111111111111111", "parentTransactionId: has the form of a card number"),
        ("OLD-1", "4111.1111/1111-1111", "parentTransactionId: has the form of a card number"),
        ("P/77:a=b", "No4111111111111111", "providerTransactionId: has the form of a card number"),
        ("P/77:a=b", "=P", "providerTransactionId: '=P' is no identifier"),
        ("P/77:a=b", "", "providerTransactionId: "),
        ("100.00", "", "amount: the amount is empty"),
        ("100.00", "0.00", "amount: the amount is zero"),
        ("100.00", "-100.00", "amount: '-100.00' has a sign"),
        ("100.00", '"100,00"', "amount: '100,00' contains a comma"),
        ("100.00", "100.001", "amount: '100.001' is finer"),
        ("100.00", "1e2", "amount: '1e2' is in exponent notation"),
        ("100.00", " 100.00", "amount: ' 100.00' contains white space"),
        ("25.50", "", "refundedAmount: the amount is empty"),
        ("25.50", "-1", "refundedAmount: '-1' has a sign"),
        ("25.50", "100.01", "refundedAmount: 100.01 is more than the amount 100.00"),
        ("EUR", "EURO", "currencyCode: 'EURO' is no currency"),
        ("EUR", "XAU", "currencyCode: 'XAU' is no currency"),
        ("EUR", "", "currencyCode: "),
        ("2023-04-05T06:07:08.1234567", "05.04.2023", "transactionDateTime: '05.04.2023' is no time"),
        ("2023-04-05T06:07:08.1234567", "", "transactionDateTime: "),
    ],
)
def test_a_wrong_cell_is_told_with_its_column_and_what_is_wrong(change: str, to: str, reason: str) -> None:
    error = one_error(GOOD.replace(change, to, 1))
    assert error.line == 2
    assert error.reason.startswith(reason)
    assert not has_card_number(error.reason)
    assert len(error.reason) < 200


def test_all_that_is_wrong_with_a_row_is_told_at_once() -> None:
    error = one_error("=1,yesterday,0,EUR,x,@P")
    assert {name for name in COLUMNS if f"{name}: " in error.reason} == set(COLUMNS) - {"currencyCode"}


def test_a_deposit_that_stands_twice_is_taken_once() -> None:
    found = rows_of(GOOD, GOOD.replace("100.00", "999.00"), GOOD.replace("OLD-1", "old-1"))
    assert [type(each) for each in found] == [MigrationRow, RowError, MigrationRow]
    assert found[1] == RowError(3, "'OLD-1' stands in an earlier row already")


@pytest.mark.parametrize(
    "line",
    ['"OLD-1"x,1,1,EUR,0,P', "OLD\rx,1,1,EUR,0,P", '"' + "x" * 140_000 + '",1,1,EUR,0,P'],
    ids=["quote", "bare return", "huge cell"],
)
def test_a_line_that_is_no_csv_does_not_stop_the_others(line: str) -> None:
    found = list(read_rows([HEADER + "\n", line + "\n", GOOD + "\n"]))
    assert any(isinstance(each, RowError) and "CSV" in each.reason for each in found)
    assert found[-1] == row()


def test_a_quote_that_never_closes_is_reported() -> None:
    found = rows_of(GOOD, '"OLD-2,2023')
    assert isinstance(found[0], MigrationRow)
    assert isinstance(found[-1], RowError)
    assert found[-1].reason.startswith("not CSV: ")


def test_one_bad_byte_of_a_binary_file_costs_one_row_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "deposits.csv"
    lines = [GOOD.replace("OLD-1", f"OLD-{number}").encode() for number in range(1000)]
    lines[500] = lines[500].replace(b"P/77", b"P\xff77")
    path.write_bytes(b"\n".join([HEADER.encode(), *lines]))
    with path.open("rb") as file:
        found = list(read_rows(file))
    assert [each for each in found if isinstance(each, RowError)] == [
        RowError(502, "not UTF-8; save the file in UTF-8")
    ]
    assert len(found) == 1000


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_a_file_opened_as_text_invents_no_deposit_behind_a_bad_byte(tmp_path: Path, errors: str) -> None:
    path = tmp_path / "deposits.csv"
    numbers = range(1000)
    lines = [GOOD.replace("OLD-1", f"OLD-{number}").encode() for number in numbers]
    lines[500] = lines[500].replace(b"P/77", b"P\xff77")
    path.write_bytes(b"\n".join([HEADER.encode(), *lines]))
    with path.open(encoding="utf-8", errors=errors, newline="") as file:
        found = list(read_rows(file))
    deposits = {each.parent_transaction_id for each in found if isinstance(each, MigrationRow)}
    assert deposits <= {f"OLD-{number}" for number in numbers}
    assert len([each for each in found if isinstance(each, RowError)]) == 1
    if errors == "strict":
        assert isinstance(found[-1], RowError)
        assert found[-1].reason == "not UTF-8; save the file in UTF-8; nothing behind it was read"


def test_a_header_that_is_not_utf_8_is_one_error() -> None:
    lines = [f"{HEADER},caf\u00e9\n".encode("latin-1"), f"{GOOD}\n".encode()]
    assert list(read_rows(lines)) == [RowError(1, "not UTF-8; save the file in UTF-8")]


def saved(text: str, encoding: str) -> Iterator[bytes]:
    """Yield the lines of a binary file as Python does: cut behind each byte of a line feed."""
    yield from io.BytesIO(text.encode(encoding))


@every(
    ("separator", "encoding", "line_end", "mark"),
    [
        (";", "utf-8", "\r\n", ""),
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
    ids = [
        each.parent_transaction_id
        for each in read_rows(saved(text, encoding))
        if isinstance(each, MigrationRow)
    ]
    assert ids == ["OLD-1", "OLD-2", "OLD-3"]
    assert not [each for each in read_rows(saved(text, encoding)) if isinstance(each, RowError)]


def test_a_decimal_comma_of_a_spreadsheet_is_refused_with_its_line() -> None:
    lines = [HEADER.replace(",", ";"), GOOD.replace(",", ";").replace("100.00", "100,00")]
    (error,) = read_rows(lines)
    assert isinstance(error, RowError)
    assert (error.line, "amount" in error.reason) == (2, True)


@every("text", [f"{HEADER}\n{GOOD}\n".encode("utf-16")[:-1], f"{HEADER}\n{GOOD}\n".encode("utf-16-le")])
def test_a_file_in_half_a_code_is_an_error_and_no_traceback(text: bytes) -> None:
    assert isinstance(list(read_rows(io.BytesIO(text)))[-1], RowError)


def test_half_a_surrogate_pair_costs_its_row_alone() -> None:
    text = f"{HEADER},comment\n{GOOD},\ud800\n{GOOD.replace('OLD-1', 'OLD-2')},\n".encode(
        "utf-16", "surrogatepass"
    )
    bad, good = read_rows(io.BytesIO(text))
    assert bad == RowError(2, "not UTF-8; save the file in UTF-8")
    assert isinstance(good, MigrationRow)


def test_rows_are_read_one_by_one_and_none_is_waited_for() -> None:
    def endless() -> Iterator[str]:
        yield HEADER
        for number in itertools.count():
            yield GOOD.replace("OLD-1", f"OLD-{number}")

    first = list(itertools.islice(read_rows(endless()), 3))
    assert [each.parent_transaction_id for each in first if isinstance(each, MigrationRow)] == [
        "OLD-0",
        "OLD-1",
        "OLD-2",
    ]


def test_a_long_file_of_wrong_rows_is_not_held_in_memory() -> None:
    lines = itertools.chain([HEADER], itertools.repeat("x" * 200, 20_000))
    tracemalloc.start()
    count = sum(1 for _ in read_rows(lines))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 20_000
    assert peak < 1_000_000


def test_a_file_is_written_with_a_header_and_crlf() -> None:
    assert list(write_rows([row()])) == [
        HEADER + "\r\n",
        "OLD-1,2023-04-05T06:07:08.1234567,100.00,EUR,25.50,P/77:a=b\r\n",
    ]
    assert list(write_rows([])) == [HEADER + "\r\n"]


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


@given(lines=st.lists(st.text(max_size=40), max_size=6))
def test_any_text_makes_rows_or_errors_and_nothing_else(lines: list[str]) -> None:
    for each in read_rows([HEADER + "\n", *lines]):
        assert isinstance(each, MigrationRow | RowError)
        if isinstance(each, RowError):
            assert 2 <= each.line <= len(lines) + 1
            assert each.reason


def test_no_written_cell_is_a_formula_to_a_spreadsheet() -> None:
    for line in write_rows([row()]):
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in next(csv.reader([line])))
