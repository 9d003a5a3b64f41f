"""Status records: every field of the table, the number on the wire, the time without a zone."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.protocol.samples import changed, paths, record, record_text, renamed, without
from tests.tables import every
from wallet_gateway.protocol.errors import InvalidMessage, InvalidTime
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.status import (
    StatusAnswer,
    StatusRecord,
    parse_records,
    read_timestamp,
    write_timestamp,
)
from wallet_gateway.protocol.strict_json import Collision, NumberText, loads

if TYPE_CHECKING:
    pass

MANDATORY = [
    "id",
    "state",
    "currencyCode",
    "transactionAmount",
    "clientSystemTransactionId",
    "type",
]
"""What decides about money; all else is kept as far as it can be read."""


def test_a_record_of_every_field_goes_through_unchanged() -> None:
    read = StatusRecord.from_json(record_text())
    assert json.loads(read.to_json()) == json.loads(record_text())
    assert read.apm_details is not None
    assert read.apm_details.apm_payer_id == "P-7"
    assert read.apm_details.shipping_address is not None
    assert read.apm_details.shipping_address.telephone_number == "089 1234"
    assert read.money == Money.parse("66.77", "EUR")
    assert read.transacted_at == datetime(2024, 5, 1, 10, 20, 30, 123456, tzinfo=UTC)
    assert read.transaction_date_time == "2024-05-01T10:20:30.1234567"


@every(
    ("number", "currency", "written"),
    [
        ("10", "EUR", "10.00"),
        ("10.0", "EUR", "10.00"),
        ("10.0000", "EUR", "10.00"),
        ("0", "EUR", "0.00"),
        ("0.1", "EUR", "0.10"),
        ("999999999999.99", "EUR", "999999999999.99"),
        ("10", "JPY", "10"),
        ("10.00", "JPY", "10"),
        ("10.5", "KWD", "10.500"),
        ("10", "CLF", "10.0000"),
    ],
)
def test_the_amount_is_a_number_on_the_wire_with_the_currencys_decimals(
    number: str, currency: str, written: str
) -> None:
    body = record_text().replace("66.77", number).replace('"EUR"', f'"{currency}"')
    read = StatusRecord.from_json(body)
    assert read.transaction_amount == written
    assert f'"transactionAmount":{written},'.encode() in read.to_json()
    assert type(read.to_wire()["transactionAmount"]) is NumberText
    assert type(read.transaction_amount) is str


def test_no_digit_of_an_amount_is_lost_to_floating_point() -> None:
    read = StatusRecord.from_json(record_text().replace("66.77", "0.30000000000000000"))
    assert read.transaction_amount == "0.30"
    many = StatusRecord.from_json(record_text().replace("66.77", "999999999999.98"))
    assert many.money == Money.from_minor_units(99_999_999_999_998, "EUR")


@every("number", ["-10.00", "10.001", "1e2", "1E+2", "100000000000000", "10.00000000001"], ids=str)
def test_a_number_that_is_no_amount_of_its_currency_is_refused(number: str) -> None:
    with pytest.raises(InvalidMessage) as caught:
        StatusRecord.from_json(record_text().replace("66.77", number))
    assert paths(caught.value) == ["transactionAmount"]


def test_all_that_is_wrong_with_a_record_is_told_at_once() -> None:
    with pytest.raises(InvalidMessage) as caught:
        StatusRecord.from_wire({"TransactionAmount": "1,5", "CurrencyCode": "ZZZ"})
    assert paths(caught.value) == sorted(set(MANDATORY) - {"id"})


@pytest.mark.parametrize("state", ["Errored", "PENDING", "Settled"])
@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("id", None),
        ("id", {"no": "text"}),
        ("currencyCode", None),
        ("currencyCode", "ZZZ"),
        ("currencyCode", 978),
        ("transactionAmount", None),
        ("transactionAmount", "+1.00"),
        ("transactionAmount", True),
        ("transactionAmount", NumberText("1.005")),
    ],
)
def test_a_record_that_moved_nothing_is_read_without_what_says_how_much(
    state: str, path: str, value: object
) -> None:
    told = record() | {"state": state}
    answer = parse_records([told | {path: value}])
    assert answer.unreadable == ()
    assert path not in answer.records[0].to_wire()
    assert answer.records[0].state == state
    assert parse_records([told | {"state": "approved", path: value}]).records == ()


@pytest.mark.parametrize("count", [499, 500, 501, 5000])
@pytest.mark.parametrize("element", [record(), 1], ids=["record", "number"])
def test_at_most_five_hundred_elements_are_read_and_the_others_are_one_unreadable_record(
    element: object, count: int
) -> None:
    answer = parse_records([element] * count)
    rest = [one for one in answer.unreadable if one.is_rest]
    assert len(rest) == (count > 500)
    assert len(answer.records) + len(answer.unreadable) == min(count, 500) + len(rest)


@pytest.mark.parametrize("state", ["Approved", "Errored"])
def test_an_empty_id_is_read_as_the_placeholder_that_it_is(state: str) -> None:
    assert parse_records([record() | {"id": "", "state": state}]).records[0].id == ""


@given(
    units=st.integers(min_value=0, max_value=10**14 - 1),
    text=st.text(st.characters(codec="utf-8"), min_size=1),
)
def test_what_is_written_is_read_back(units: int, text: str) -> None:
    amount = Money.from_minor_units(units, "KWD").to_wire()
    values = {"currencyCode": "KWD", "transactionAmount": amount, "apmDetails": {"apmName": text}}
    read = StatusRecord.from_wire(record() | values)
    assert StatusRecord.from_json(read.to_json()) == read
    assert StatusRecord.from_wire(read.to_wire()) == read
    assert StatusRecord.from_json(read.to_json()).to_json() == read.to_json()


def test_a_query_answers_with_a_list_and_an_empty_one_means_nothing_is_known() -> None:
    assert parse_records(loads("[]")) == StatusAnswer()
    assert parse_records(()) == StatusAnswer()


def test_records_of_one_reference_differ_by_id_and_type() -> None:
    body = f"[{record_text()}, {record_text().replace('8f14e45f', 'other').replace('preAuth', 'capture')}]"
    first, second = parse_records(loads(body)).records
    assert first.client_system_transaction_id == second.client_system_transaction_id
    assert (first.id, second.id) == ("8f14e45f", "other")
    assert first.type != second.type


BESIDE_THE_MONEY: list[tuple[str, object]] = [
    ("transactionDateTime", "2026-01-15 10:30"),
    ("transactionDateTime", "soon"),
    ("transactionDateTime", None),
    ("transactionDateTime", 1714558830),
    ("transactionDateTime", {"at": "noon"}),
    ("apmDetails", "none"),
    ("apmDetails", []),
    ("apmDetails.apmPayerID", True),
    ("apmDetails.apmName", ["W"]),
    ("apmDetails.apmName", "\ud800"),
    ("apmDetails.billingAddress", []),
    ("apmDetails.billingAddress.city", ["x"]),
    ("apmDetails.shippingAddress", "home"),
    ("apmDetails.shippingAddress.email", False),
]


@pytest.mark.parametrize(("path", "value"), BESIDE_THE_MONEY, ids=lambda each: ascii(each)[:40])
def test_what_decides_nothing_about_money_never_makes_a_record_unreadable(path: str, value: object) -> None:
    answer = parse_records([changed(record(), path, value)])
    assert answer.unreadable == ()
    (read,) = answer.records
    whole = StatusRecord.from_wire(record())
    decisive = ("id", "state", "type", "money", "client_system_transaction_id")
    assert [getattr(read, name) for name in decisive] == [getattr(whole, name) for name in decisive]


def test_what_can_be_read_beside_what_cannot_is_kept() -> None:
    spoiled = changed(changed(record(), "apmDetails.apmName", True), "apmDetails.billingAddress.city", [])
    (read,) = parse_records([spoiled]).records
    assert read.apm_details is not None
    assert (read.apm_details.apm_name, read.apm_details.apm_payer_id) == (None, "P-7")
    assert read.apm_details.billing_address is not None
    assert read.apm_details.billing_address.city is None
    assert read.apm_details.billing_address.street == record()["apmDetails"]["billingAddress"]["street"]


def test_a_time_that_is_none_is_kept_as_text_and_is_no_moment() -> None:
    (read,) = parse_records([record() | {"transactionDateTime": "2026-01-15 10:30"}]).records
    assert (read.transaction_date_time, read.transacted_at) == ("2026-01-15 10:30", None)
    (read,) = parse_records([without(record(), "transactionDateTime")]).records
    assert (read.transaction_date_time, read.transacted_at) == (None, None)


UNREADABLE: list[tuple[str, object, str]] = [
    ("no id", without(record(), "id"), "id: is missing"),
    ("an id that is none", record() | {"id": None, "type": "chargeback"}, "id: is missing"),
    ("no state", without(record(), "state"), "state: is missing"),
    ("below zero", record() | {"type": "ecom.refund", "transactionAmount": NumberText("-5")}, "has a sign"),
    ("a currency that is none", record() | {"currencyCode": "XXL"}, "currencyCode"),
    ("no reference", without(record(), "clientSystemTransactionId"), "clientSystemTransactionId: is missing"),
    ("one field in two spellings", record() | {"ID": "other"}, "'id' and 'ID'"),
    ("one object twice", Collision("one object has 'a' and 'A'"), "one object has"),
    ("a part that collides", changed(record(), "apmDetails.x", [Collision("one object has")]), "one object"),
    ("an error", record() | {"code": "1", "details": {"message": "no"}}, "it carries an error"),
    ("nothing", None, "is no status record"),
    ("a list", [], "is no status record"),
    ("a text", "x", "is no status record"),
]


@pytest.mark.parametrize(
    ("element", "complaint"), [row[1:] for row in UNREADABLE], ids=[r[0] for r in UNREADABLE]
)
@pytest.mark.parametrize("first", [True, False])
def test_a_record_that_cannot_be_read_spoils_none_beside_it(
    first: bool, element: object, complaint: str
) -> None:
    answer = parse_records([element, record()] if first else [record(), element])
    assert answer.records == (StatusRecord.from_wire(record()),)
    (unreadable,) = answer.unreadable
    assert complaint in unreadable.complaint


def test_of_an_unreadable_record_is_told_what_can_be_read() -> None:
    values = renamed(record() | {"transactionAmount": "1,5", "state": " "}, str.upper)
    (found,) = parse_records([values, None]).unreadable[:1]
    assert (found.id, found.type) == ("8f14e45f", record()["type"])
    assert found.client_system_transaction_id == record()["clientSystemTransactionId"]
    assert "transactionAmount" in found.complaint
    assert "state" in found.complaint

    (found,) = parse_records(
        [record() | {"id": [], "type": " ", "clientSystemTransactionId": "\ud800"}]
    ).unreadable
    assert (found.id, found.type, found.client_system_transaction_id) == (None, None, None)


def test_the_same_unreadable_record_is_known_again_by_what_decides_about_money() -> None:
    def seen(element: object) -> str:
        return parse_records([element]).unreadable[0].fingerprint

    one = record() | {"id": None}
    assert seen(one) == seen(one | {"transactionDateTime": "later", "apmDetails": None})
    assert seen(one) == seen(renamed(one, str.lower))
    for other in (one | {"state": "approved"}, one | {"transactionAmount": "5"}, "x", None):
        assert seen(other) != seen(one)
    assert seen("x") != seen("y")


def test_what_is_said_of_an_unreadable_record_is_short() -> None:
    names = dict.fromkeys(MANDATORY, "x" * 5000)
    assert len(parse_records([names]).unreadable[0].complaint) <= 300


@every("value", [{}, record(), None, "x", True, NumberText("1")], ids=lambda each: type(each))
def test_what_is_no_list_is_no_answer_to_a_query(value: object) -> None:
    with pytest.raises(InvalidMessage, match="no list of status records"):
        parse_records(value)


@every(
    ("text", "moment"),
    [
        ("2024-05-01T10:20:30.1234567", (2024, 5, 1, 10, 20, 30, 123456)),
        ("2024-05-01T10:20:30.1234569", (2024, 5, 1, 10, 20, 30, 123456)),
        ("2024-05-01T10:20:30.9999999", (2024, 5, 1, 10, 20, 30, 999999)),
        ("2024-05-01T10:20:30.0000000", (2024, 5, 1, 10, 20, 30)),
        ("2024-05-01T10:20:30.5", (2024, 5, 1, 10, 20, 30, 500000)),
        ("2024-05-01T10:20:30", (2024, 5, 1, 10, 20, 30)),
        ("2024-05-01 10:20:30", (2024, 5, 1, 10, 20, 30)),
        ("2024-05-01T10:20:30.1234567Z", (2024, 5, 1, 10, 20, 30, 123456)),
        ("2024-05-01T10:20:30+02:00", (2024, 5, 1, 8, 20, 30)),
        ("2024-05-01T00:20:30.1234567+02:00", (2024, 4, 30, 22, 20, 30, 123456)),
        ("2024-02-29T23:59:59.123456789", (2024, 2, 29, 23, 59, 59, 123456)),
    ],
)
def test_a_time_is_read_as_utc_and_to_the_microsecond(text: str, moment: tuple[int, ...]) -> None:
    read = read_timestamp(text)
    assert read == datetime(*moment, tzinfo=UTC)  # type: ignore[misc, arg-type]
    assert read.utcoffset() == timedelta(0)


@every(
    "text",
    [
        "",
        " ",
        "now",
        "2024-05-01",
        "10:20:30",
        "2024-05-01T10:20",
        "2024-13-01T00:00:00",
        "2023-02-29T00:00:00",
        "2024-05-01T24:00:01",
        "2024-05-01T10:20:60",
        "2024-05-01T10:20:30,5",
        "2024-05-01T10:20:30.",
        "2024-05-01T10:20:30.1234567890",
        " 2024-05-01T10:20:30",
        "2024-05-01T10:20:30\n",
        "0000-01-01T00:00:00",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "2024-05-01T10:20:30+99:00",
        "\u0662\u0660\u0662\u0664-05-01T10:20:30",
        "1714558830",
        "20240501T102030",
        "9" * 100_000,
    ],
    ids=lambda text: ascii(text[:32]),
)
def test_a_text_that_is_no_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidTime, match=r"2024-05-01T10:00:00\.1234567") as caught:
        read_timestamp(text)
    assert len(str(caught.value)) < 160


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2024, 5, 1, 10, 20, 30, 123456, tzinfo=UTC), "2024-05-01T10:20:30.1234560"),
        (datetime(2024, 5, 1, 10, 20, 30, tzinfo=UTC), "2024-05-01T10:20:30.0000000"),
        (datetime(2024, 5, 1, 1, tzinfo=timezone(timedelta(hours=2))), "2024-04-30T23:00:00.0000000"),
    ],
)
def test_a_time_is_written_with_seven_digits_and_no_zone(moment: datetime, text: str) -> None:
    assert write_timestamp(moment) == text


@given(moment=st.datetimes(timezones=st.just(UTC)))
def test_a_time_that_is_written_is_read_back(moment: datetime) -> None:
    assert read_timestamp(write_timestamp(moment)) == moment
