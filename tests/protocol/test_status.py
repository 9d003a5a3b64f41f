"""Status records: every field of the table, the number on the wire, the time without a zone."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta, timezone
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.protocol.samples import changed, paths, record, record_text, renamed, without
from tests.support.tables import every
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

DECISIVE = ("id", "state", "currencyCode", "transactionAmount", "clientSystemTransactionId", "type")
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
        ("10.0000", "EUR", "10.00"),
        ("0", "EUR", "0.00"),
        ("0.30000000000000000", "EUR", "0.30"),
        ("999999999999.98", "EUR", "999999999999.98"),
        ("10.00", "JPY", "10"),
        ("10.5", "KWD", "10.500"),
        ("10", "CLF", "10.0000"),
        *((wrong, "EUR", None) for wrong in ("-10.00", "10.001", "1e2", "100000000000000")),
    ],
)
def test_the_amount_is_a_number_on_the_wire_with_the_currencys_decimals(
    number: str, currency: str, written: str | None
) -> None:
    body = record_text().replace("66.77", number).replace('"EUR"', f'"{currency}"')
    if written is None:
        with pytest.raises(InvalidMessage) as caught:
            StatusRecord.from_json(body)
        assert paths(caught.value) == ["transactionAmount"]
    else:
        read = StatusRecord.from_json(body)
        assert f'"transactionAmount":{written},'.encode() in read.to_json()
        assert type(read.to_wire()["transactionAmount"]) is NumberText
        assert (read.transaction_amount, type(read.transaction_amount)) == (written, str)
        assert read.money == Money.parse(written, currency, allow_zero=True)


@every("state", ["Errored", "PENDING", "Settled"])
@every(
    ("path", "value"),
    [
        *(("id", value) for value in (None, {"no": "text"})),
        *(("currencyCode", value) for value in (None, "ZZZ", 978)),
        *(("transactionAmount", value) for value in (None, "+1.00", True, NumberText("1.005"))),
    ],
)
def test_a_record_that_moved_nothing_is_read_without_what_says_how_much(
    state: str, path: str, value: object
) -> None:
    told = record() | {"state": state}
    answer = parse_records([told | {path: value}])
    assert answer.unreadable == ()
    assert answer.records[0].to_wire() == StatusRecord.from_wire(without(told, path)).to_wire()
    assert parse_records([told | {"state": "approved", path: value}]).records == ()


def test_at_most_five_hundred_elements_are_read_and_the_others_are_one_unreadable_record() -> None:
    for element, count in product((record(), 1), (500, 501, 5000)):
        answer = parse_records([element] * count)
        rest = [one for one in answer.unreadable if one.is_rest]
        assert len(rest) == (count > 500)
        assert len(answer.records) + len(answer.unreadable) == 500 + len(rest)


def test_an_empty_id_is_read_as_the_placeholder_that_it_is() -> None:
    for state in ("Approved", "Errored"):
        assert parse_records([record() | {"id": "", "state": state}]).records[0].id == ""


@given(
    units=st.integers(min_value=0, max_value=10**14 - 1),
    text=st.text(st.characters(codec="utf-8"), min_size=1),
)
def test_what_is_written_is_read_back(units: int, text: str) -> None:
    amount = Money.from_minor_units(units, "KWD").to_wire()
    values = {"currencyCode": "KWD", "transactionAmount": amount, "apmDetails": {"apmName": text}}
    read = StatusRecord.from_wire(record() | values)
    assert StatusRecord.from_json(read.to_json()) == read == StatusRecord.from_wire(read.to_wire())


def test_a_query_answers_with_a_list_and_records_of_one_reference_differ_by_id_and_type() -> None:
    assert parse_records(loads("[]")) == parse_records(()) == StatusAnswer()
    other = record() | {"id": "other", "type": "ecom.capture"}
    first, second = parse_records([record(), other]).records
    assert first.client_system_transaction_id == second.client_system_transaction_id
    assert (second.id, second.type) == ("other", "ecom.capture")
    for no_list in ({}, record(), None, "x", True, NumberText("1")):
        with pytest.raises(InvalidMessage, match="no list of status records"):
            parse_records(no_list)


BESIDE_THE_MONEY: list[tuple[str, object]] = [
    *(("transactionDateTime", value) for value in (None, 1714558830, {"at": "noon"})),
    ("apmDetails", "none"),
    ("apmDetails", []),
    *(("apmDetails.apmName", value) for value in (True, ["W"], "\ud800")),
    ("apmDetails.billingAddress", []),
    ("apmDetails.billingAddress.city", ["x"]),
    ("apmDetails.shippingAddress", "home"),
]


@every(("path", "value"), BESIDE_THE_MONEY)
def test_what_decides_nothing_about_money_never_makes_a_record_unreadable_and_all_else_is_kept(
    path: str, value: object
) -> None:
    answer = parse_records([changed(record(), path, value)])
    assert (answer.records, answer.unreadable) == ((StatusRecord.from_wire(without(record(), path)),), ())


def test_a_time_that_cannot_be_read_is_kept_as_it_was_told() -> None:
    (read,) = parse_records([record() | {"transactionDateTime": "soon"}]).records
    assert (read.transaction_date_time, read.transacted_at) == ("soon", None)


UNREADABLE: list[tuple[object, str]] = [
    (without(record(), "id"), "id: is missing"),
    (without(record(), "state"), "state: is missing"),
    (record() | {"transactionAmount": NumberText("-5")}, "is no amount"),
    (record() | {"currencyCode": "XXL"}, "currencyCode"),
    (without(record(), "clientSystemTransactionId"), "clientSystemTransactionId: is missing"),
    (record() | {"ID": "other"}, "'id' and 'ID'"),
    (changed(record(), "apmDetails.APMNAME", "x"), "apmDetails.apmName: is given more than once"),
    (Collision("one object has 'a' and 'A'"), "one object has"),
    (changed(record(), "apmDetails.x", [Collision("one object has")]), "one object"),
    (record() | {"code": "1", "details": {"message": "no"}}, "it carries an error"),
    (None, "is no JSON object"),
    ([], "is no JSON object"),
    ("x", "is no JSON object"),
    (dict.fromkeys(DECISIVE, "x" * 5000), "transactionAmount"),
]


@every(("element", "complaint"), UNREADABLE, ids=range(len(UNREADABLE)))
def test_a_record_that_cannot_be_read_spoils_none_beside_it(element: object, complaint: str) -> None:
    for elements in ([element, record()], [record(), element]):
        answer = parse_records(elements)
        assert answer.records == (StatusRecord.from_wire(record()),)
        (unreadable,) = answer.unreadable
        assert complaint in unreadable.complaint
        assert len(unreadable.complaint) <= 300


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


# Times


@every(
    ("text", "moment"),
    [
        ("2024-05-01T10:20:30.1234569", (2024, 5, 1, 10, 20, 30, 123456)),
        ("2024-05-01T10:20:30.5", (2024, 5, 1, 10, 20, 30, 500000)),
        ("2024-05-01 10:20:30", (2024, 5, 1, 10, 20, 30)),
        ("2024-05-01T10:20:30.1234567Z", (2024, 5, 1, 10, 20, 30, 123456)),
        ("2024-05-01T00:20:30.1234567+02:00", (2024, 4, 30, 22, 20, 30, 123456)),
        ("2024-02-29T23:59:59.123456789", (2024, 2, 29, 23, 59, 59, 123456)),
    ],
)
def test_a_time_is_read_as_utc_and_to_the_microsecond(text: str, moment: tuple[int, ...]) -> None:
    read = read_timestamp(text)
    assert read == datetime(*moment, tzinfo=UTC)  # type: ignore[misc, arg-type]
    assert read.utcoffset() == timedelta(0)


NO_TIMES = [
    *(
        "",
        "now",
        "2024-05-01",
        "10:20:30",
        "2024-05-01T10:20",
        "1714558830",
        "20240501T102030",
        "9" * 100_000,
    ),
    *("2024-13-01T00:00:00", "2023-02-29T00:00:00", "2024-05-01T24:00:01", "2024-05-01T10:20:60"),
    *("2024-05-01T10:20:30,5", "2024-05-01T10:20:30.", "2024-05-01T10:20:30.1234567890"),
    *(" 2024-05-01T10:20:30", "2024-05-01T10:20:30\n", "\u0662\u0660\u0662\u0664-05-01T10:20:30"),
    *("0000-01-01T00:00:00", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00"),
    "2024-05-01T10:20:30+99:00",
]


@every("text", NO_TIMES)
def test_a_text_that_is_no_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidTime, match=r"2024-05-01T10:00:00\.1234567") as caught:
        read_timestamp(text)
    assert len(str(caught.value)) < 160


@given(moment=st.datetimes(timezones=st.just(timezone(timedelta(hours=2)))))
def test_a_time_is_written_in_utc_with_seven_digits_and_no_zone_and_read_back(moment: datetime) -> None:
    assume(moment.year > 1)
    written = write_timestamp(moment)
    assert re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}0", written)
    assert read_timestamp(written) == moment
