"""What is taken out of messages, what stays, and that text which only resembles JSON is not let through."""

from __future__ import annotations

import json
import re
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.processor_time import BIG, LARGE, MIDDLE, grows_too_fast
from tests.support.tables import every
from wallet_gateway.client.redaction import MAX_TEXT_LENGTH, redact, redact_message, redact_text
from wallet_gateway.protocol.strict_json import JsonValue, NumberText, loads

CARD, OTHER_CARD = "4111111111111111", "5555555555554444"


def redacted(value: JsonValue) -> JsonValue:
    return loads(redact(value))


# A message, by the names of its fields

REMOVED = """cryptogram CRYPTOGRAM apiKey publicApiKey new_api-key encryptionKey encryptionKeyId Authorization
authenticationValue eciIndicator signature accessToken cardholderNationalIdentificationNumber paymentData
cvv2Code card_cvc cardVerificationValue CVN securityNumber cavv track2Data"""
PERSONAL = """cardholderFirstName apmPayerLastname apmPayerShippingName payerSurname street houseNumber
dateOfBirth apmPayerBillingCityName zipPostalCode apmPayerShippingPostalCode cardholderId userId
telephoneNumber cardholderMobilePhone"""
IDS = """id clientSystemTransactionId clientSystemInvoiceId parentTransactionId apmProviderTransactionId
providerAuthorizationID productId"""
WORDS = """currencyCode merchantId storeId state providerStateCode providerResponseCode code type productName
discountName shippingName apmName apmProviderName countryCode cvvResult cavvResultCode cvvResponse unforeseen
@type $ref _links details.message risk_score x2 urn:id"""
SHORTENED: list[tuple[str, str, str]] = [
    ("apmPayerAccountNumber", "DE89370400440532013000", "***3000"),
    ("apmPayerAccountNumber", "1234", "1***"),
    ("transactionAccountId", "ta-0123456789", "***6789"),
    ("cardNumber", CARD, "***1111"),
    ("cardholderEmail", "jane.doe@shop.example", "j***@shop.example"),
    ("apmPayerEmailAddress", "no address", "n***"),
    ("redirectUrl", "https://u:p@gateway.example:8443/c/token?x=1", "https://gateway.example:8443/***"),
    ("returnUrl", "javascript:alert(1)", "j***"),
    ("cardholderFirstName", "", ""),
    ("state", "approved for ada@example.com", "approved for a***@example.com"),
    *((name, "Hamburg 7", "H***") for name in PERSONAL.split()),
]
KEPT: list[tuple[str, JsonValue]] = [
    ("amount", "4111111111111.11"),
    ("transactionAmount", NumberText("10.50")),
    ("shippingAmount", "4.90"),
    *((name, CARD) for name in IDS.split()),
    *((name, "Captured 05") for name in WORDS.split()),
    ("transactionDateTime", "2026-01-01T10:00:00.1234567"),
    ("message", "RefundAmountExceeded: deposit amount 10.00, refunded amount 4.00"),
]


@every(("name", "value", "shown"), [*((name, "k-77", "[removed]") for name in REMOVED.split()), *SHORTENED])
def test_secrets_go_and_personal_data_are_shortened(name: str, value: str, shown: str) -> None:
    assert redacted({name: value}) == {name: shown}
    assert redacted({"card": [{name: value}]}) == {"card": [{name: shown}]}


@every(("name", "value"), KEPT)
def test_what_evidence_is_for_stays(name: str, value: JsonValue) -> None:
    assert redacted({name: value}) == {name: value}


@every("name", ["state", "type", "countryCode", "transactionDateTime", "productName", "shippingName", "rate"])
def test_a_card_number_goes_from_what_else_stays_whatever_the_name(name: str) -> None:
    assert redacted({name: CARD}) == {name: "***1111"}
    assert redacted({f"card{CARD}": "10.00"}) == {"card***1111": "10.00"}


@every(
    "name",
    [
        *("robin@example.com", "Robin Example", "Zo\u00eb", "\u0631\u0648\u0628\u0646", "+49 171 1234567"),
        *("491711234567", CARD, "2nd floor", "a" * 65, "line\nbreak", ""),
    ],
)
def test_a_name_that_no_field_has_is_a_number_and_its_value_stays(name: str) -> None:
    shown = {"state": "Errored", "[name 2]": "taken already", "errors": {"[name 1]": ["x"]}}
    assert redacted({"state": "Errored", name: "taken already", "errors": {name: ["x"]}}) == shown
    lines: list[JsonValue] = [{"amount": "5.00", name: str(number)} for number in range(12)]
    assert redacted(lines) == [{"amount": "5.00", "[name 2]": str(number)} for number in range(12)]


def test_a_rule_reaches_into_lists_but_not_into_objects_and_the_original_is_left_alone() -> None:
    text = (
        '{"phones": ["123", "456"], "billingAddress": {"city": "Bonn", "countryCode": "DEU"}, "a": [["%s"]]}'
    )
    value = loads(text % CARD)
    assert redacted(value) == {
        "phones": ["1***", "4***"],
        "billingAddress": {"city": "B***", "countryCode": "DEU"},
        "a": [["***1111"]],
    }
    assert value == loads(text % CARD)


def test_what_an_adapted_request_has_besides_lists_and_objects_is_redacted_as_these_are() -> None:
    ours: dict[str, JsonValue] = {
        "cryptogram": "AgAAAAAABk4DWZ4C28yUQAAAAAA=",
        "cardNumber": NumberText(CARD),
        "note": NumberText(CARD),
        "isRecurring": True,
        "addresses": [{"street": "High Street"}],
    }
    street = MappingProxyType({"street": "High Street"})
    numbers: dict[str, object] = {"cardNumber": int(CARD), "note": int(CARD)}
    adapted: Any = MappingProxyType({**ours, **numbers, "addresses": (street,)})
    assert redact(adapted) == redact(ours)
    assert "High Street" not in redact(ours)
    assert CARD not in redact(ours)


# Text


@every(
    ("text", "shown"),
    [
        (f"card {CARD} declined", "card ***1111 declined"),
        ("card 4111 1111 1111 1111 declined", "card ***1111 declined"),
        ("card 4111-1111-1111-1111 declined", "card ***1111 declined"),
        ("card 4111.1111\u00a01111_1111 declined", "card ***1111 declined"),
        ("card=4111+1111+1111+1111&x=1", "card=***1111&x=1"),
        ("card=4111%201111%201111%201111", "card=***1111"),
        (f"{CARD},{OTHER_CARD}", "***1111,***4444"),
        ("not one: 4111111111111112", "not one: 4111111111111112"),
        ("too short: 411111111111", "too short: 411111111111"),
        ("too long: 41111111111111111111", "too long: 41111111111111111111"),
        ("part of a word: ref4111111111111111x", "part of a word: ref***1111x"),
        ("write to jane.doe+shop@mail.example.org now", "write to j***@mail.example.org now"),
        ("Authorization: PublicApiKey abc.def-123", "Authorization: PublicApiKey [removed]"),
        ("authorization: Basic c2hvcDpwYXNz, next", "authorization: Basic [removed], next"),
        ("key PublicApiKey abc123 unknown", "key PublicApiKey [removed] unknown"),
        ("Bearer abcdefghijklmnop", "Bearer [removed]"),
        ("AUTHORIZATION: PublicApiKey abc0123456789", "AUTHORIZATION: PublicApiKey [removed]"),
        ("autho\u0131zation Bearer\u00a0abc0123456789", "autho\u0131zation Bearer\u00a0[removed]"),
        ("author\u0131zation: abc0123456789", "author\u0131zation: [removed]"),
        ('"Authorization": "0123456789abc"', '"Authorization": "[removed]"'),
        ("Authorization: declined by the issuer", "Authorization: declined by the issuer"),
        ("no authorization for 10.00 EUR", "no authorization for 10.00 EUR"),
        ("PublicApiKey is missing", "PublicApiKey is missing"),
        ("zero \0 byte", "zero \ufffd byte"),
        # A request that is repeated as a form, as an object, or as an address
        ("cryptogram=AgAAAAAABk4DWZ4C28y/QA==&amount=20.00", "cryptogram=[removed]==&amount=20.00"),
        (
            "cannot read Request[apiKey=k3y/Sec+ret, cvv=123, amount=20.00]",
            "cannot read Request[apiKey=[removed], cvv=[removed], amount=20.00]",
        ),
        ("pan=4111 1111 1111 1111, lastName=Zenobiata", "pan=***1111, lastName=Z***"),
        ("msg=cvv=123", "msg=cvv=[removed]"),
        ("{'cryptogram': 'AgAA', 'state': 'NEW'}", "{'cryptogram': '[removed]', 'state': 'NEW'}"),
        ("{'cardNumber' => '4111111111111111'}", "{'cardNumber' => '***1111'}"),
        ('said {\\"apiKey\\": \\"k-1\\", \\"n\\": 1}', 'said {\\"apiKey\\": \\"[removed]\\", \\"n\\": 1}'),
        ("<>" * 20_000, "<>" * 10_000),
        ("code=05 state=DECLINED id=4111111111111111x", "code=05 state=DECLINED id=***1111x"),
        ("a=b=" * 4000, "a=b=" * 4000),
        (
            "GET /api/v5/paymentAccounts/ACC-179C90B87B2B?merchantId=M-1&encryptionKeyId=ek-JXvEH1 failed",
            "GET /api/v5/paymentAccounts/***7B2B?merchantId=M-1&encryptionKeyId=[removed] failed",
        ),
    ],
)
def test_free_text_is_searched_for_numbers_addresses_and_keys(text: str, shown: str) -> None:
    assert redact_message(text) == shown


REPEATED = '{"cardholderFirstName": "Zenobiata", "userId": "shop-user", "amount": "20.00"}'


@every(
    "text",
    [
        f"SchemaValidationError: {REPEATED}",
        "cut off: " + json.dumps({"request": REPEATED})[:-4],
        json.dumps({"details": {"message": f"POST /checkout {REPEATED}"}}),
    ],
)
def test_a_request_that_a_gateway_repeats_in_a_text_is_redacted_by_its_fields(text: str) -> None:
    for shown in (redact_message(text), redact_text(text)):
        assert "Zenobiata" not in shown
        assert "shop-user" not in shown
        assert "20.00" in shown


@every(
    ("body", "shown"),
    [
        (
            '{ "state": "Approved", "transactionAmount": 10.50, "n": null, "b": true, "m": "ä" }',
            '{"state":"Approved","transactionAmount":10.50,"n":null,"b":true,"m":"ä"}',
        ),
        *(
            (f'{{"paymentData": {content}}}', '{"paymentData":"[removed]"}')
            for content in ('{"a": [1]}', "[1]", "1", "null", "true")
        ),
        # No strict JSON
        ('{"cryptogram": "AAAA', '{"cryptogram": "[removed]"'),
        ('{"cryptogram" : "A\\"A", "state": "Errored"', '{"cryptogram" : "[removed]", "state": "Errored"'),
        ('{"a": 1, "a": 2, "userId": "bob"}', '{"a": 1, "a": 2, "userId": "b***"}'),
        ('{"cardNumber": 4111111111111111, "x": NaN}', '{"cardNumber": ***1111, "x": NaN}'),
        # Where the structure is broken, names are no reason to let a number pass.
        (f'{{"id": "{CARD}", "x": NaN}}', '{"id": "***1111", "x": NaN}'),
        ("<h1>403 Forbidden</h1>", "<h1>403 Forbidden</h1>"),
        (f"<p>{CARD} of jane@shop.example</p>", "<p>***1111 of j***@shop.example</p>"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_body_is_redacted_field_by_field_even_where_it_is_no_strict_json(body: str, shown: str) -> None:
    assert redact_text(body) == redact_text(body.encode()) == shown


def test_bytes_that_are_no_text_and_no_database_takes_become_marks() -> None:
    assert redact_text(b"\xff\xfe <html>\0") == "\ufffd\ufffd <html>\ufffd"


# The cut


def test_of_a_long_body_the_beginning_is_kept_and_what_follows_is_not_read() -> None:
    for body in ('{"m": "' + "x" * 30_000 + '"}', "<p>" + "x" * 30_000):
        assert len(redact_text(body)) == MAX_TEXT_LENGTH
    line: dict[str, JsonValue] = {"productName": "x" * 60, "unitAmount": "11.90", "firstName": "Ada"}
    shown = f'{{"productName":"{"x" * 60}","unitAmount":"11.90","firstName":"A***"}}'

    of_many = redact({"lines": [line] * 1_000, "type": "sale"})

    assert of_many == f'{{"lines":[{",".join([shown] * 1_000)}'[:MAX_TEXT_LENGTH]
    assert redact({"lines": [line] * 2, "type": "sale"}) == f'{{"lines":[{shown},{shown}],"type":"sale"}}'
    # A number has no place here: it would be an error to read it.
    assert redact([*["x" * 100] * 1_000, 1]).startswith('["xxx')  # type: ignore[list-item]


def test_a_card_number_across_the_cut_is_not_half_shown() -> None:
    assert CARD[:6] not in redact_text("." * (MAX_TEXT_LENGTH - 8) + CARD)
    # Nor when what stands before becomes shorter.
    for filler in range(17):
        text = redact_text("." * filler + f"{CARD} " * 3_000)
        assert re.fullmatch(r"\.*(\*\*\*1111 )*", re.sub(r"\*{1,3}1{0,4}$", "", text)), text[-30:]


@pytest.mark.parametrize("behind", [0, 1_000, 100_000])
def test_an_address_across_the_cut_is_not_half_shown_however_long_it_is(behind: int) -> None:
    address = "jane.doe" * 1_000 + "x" * behind + "@shop.example"
    for before in (MAX_TEXT_LENGTH - 4_000, MAX_TEXT_LENGTH - 5, MAX_TEXT_LENGTH, MAX_TEXT_LENGTH + 890):
        text = "-" * 10 + " " + "." * 5 + " " * before + address + " later"
        assert "doe" not in redact_text(text)
        assert "doe" not in redact_text(json.dumps({"message": text}))


# Any text, any shape, any size

PLAIN_ADDRESS = re.compile(r"([\w.%+-])[\w.%+-]*@([\w-]+(?:\.[\w-]+)+)")


@given(st.text(alphabet="ab.@+-% _é\n", max_size=40))
def test_addresses_are_found_as_one_would_write_them_down(text: str) -> None:
    # Takes quadratic time, so it is good for short texts only.
    assert redact_message("at: " + text) == PLAIN_ADDRESS.sub(r"\1***@\2", "at: " + text)


@every("length", [1, 64, 65, 320, 6_000])
def test_an_address_of_any_length_is_redacted(length: int) -> None:
    address = f"{'j' * length}@{'s' * length}.{'o' * length}.example"
    assert redact_message(f"to {address}.") == f"to j***@{'s' * length}.{'o' * length}.example."


JSON = st.recursive(
    st.none() | st.booleans() | st.text(max_size=20) | st.just(CARD),
    lambda part: (
        st.lists(part, max_size=3)
        | st.dictionaries(st.sampled_from(["apiKey", "name", "message", "x", "items"]), part, max_size=3)
    ),
    max_leaves=10,
)


@settings(max_examples=40)
@given(JSON)
def test_whatever_the_shape_no_card_number_is_left_and_the_result_is_json(value: object) -> None:
    text = redact_text(json.dumps(value))
    assert CARD not in text
    json.loads(text)


@given(st.text(max_size=200) | st.binary(max_size=200))
def test_any_text_can_be_redacted(text: str | bytes) -> None:
    assert "\0" not in redact_text(text)


FIELDS = st.dictionaries(
    st.sampled_from(["productName", "itemAmount", "email", "note", "apiKey", "a " + CARD, "a " + OTHER_CARD]),
    st.sampled_from([f"of {CARD}", "Jane@shop.example", "12.50", NumberText("1.0"), "1.0", "", None]),
)


@given(st.lists(FIELDS, min_size=1, max_size=4), st.integers(1, 20))
def test_lines_of_a_cart_are_redacted_as_each_of_them_alone(lines: list[JsonValue], times: int) -> None:
    alone = ",".join(map(redact, lines * times))
    assert redact(lines * times) == f"[{alone}]"[:MAX_TEXT_LENGTH]


BLOCKS = (
    *('"', '"a":', '"a":"\\', '\\"', '{"', "4 ", "4", "4%20", "1234567890123456 "),
    *("a@", "a.", "@", ".", "a@b.c "),
    *("bearer ", "bearer a", "authorization:", "authorization:,", 'authorization" : "', "authorization: a "),
    *("https://", "[", "x", " ", "\\u00e9", "é", "\0"),
)


@every("block", BLOCKS)
def test_no_text_takes_more_than_linear_time(block: str) -> None:
    assert not grows_too_fast(redact_text, lambda size: block * (size // len(block)), LARGE, BIG)


@every("name", ["message", "cardholderEmail", "redirectUrl", "accountNumber"])
@every("halves", [("a.", "b."), ("4 ", "4")])
def test_no_field_takes_more_than_linear_time(name: str, halves: tuple[str, str]) -> None:
    def text_of(size: int) -> str:
        return "@".join(half * (size // 2 // len(half)) for half in halves)

    def in_lines(text: str) -> str:
        return redact({name: [text[at : at + 1_000] for at in range(0, len(text), 1_000)]})

    for way in (in_lines, lambda text: redact({name: text})):
        assert not grows_too_fast(way, text_of, MIDDLE, LARGE)
