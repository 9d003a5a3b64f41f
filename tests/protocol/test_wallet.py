"""The browser wallet: keys, payment accounts, the result a page posts, and the authorization that pays."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.protocol.samples import CRYPTOGRAM_LENGTHS, GOLDEN, authorization, cryptogram_of, paths, without
from tests.support.tables import every
from wallet_gateway.protocol.accounts import (
    PaymentAccount,
    PaymentAccountQuery,
    PaymentAccountResponse,
    PublicKeyResponse,
    SheetChoices,
    WalletAddress,
    WalletResult,
)
from wallet_gateway.protocol.authorizations import (
    AuthenticationStatus,
    AuthorizationRequest,
    AuthorizationResponse,
    ThreeDSecure,
)
from wallet_gateway.protocol.card_numbers import has_card_number
from wallet_gateway.protocol.errors import InvalidMessage
from wallet_gateway.protocol.strict_json import NumberText

KEYS = {"apiKey": "pk-1", "encryptionKey": "ek-1", "expiresAt": "2026-01-01T10:00:00Z"}
ACCOUNT = GOLDEN["PaymentAccount"]
GOOD = {"clientSystemTransactionId": "01ABC", "transactionAccountId": "account-1"}
PROOF = authorization()["threeDSecure"]


def test_keys_say_when_they_end_and_are_keys_without_an_end_that_can_be_read() -> None:
    assert PublicKeyResponse.from_wire(KEYS).expires == datetime(2026, 1, 1, 10, tzinfo=UTC)
    for end in (None, "", "soon", NumberText("1767261600"), {"seconds": "900"}):
        keys = PublicKeyResponse.from_wire(KEYS | {"expiresAt": end})
        assert (keys.api_key, keys.encryption_key, keys.expires) == ("pk-1", "ek-1", None)


def test_a_result_leaves_out_what_there_is_not() -> None:
    given = {"clientSystemTransactionId": "ORDER-1", "transactionAccountId": "ACC-1"}
    for message in (PaymentAccountResponse, WalletResult):
        shouted = {name.upper(): value for name, value in given.items()}
        assert message.from_wire(shouted).to_wire() == given | {"transactionMethod": "WalletPay"}


@every(
    ("name", "values"),
    [
        ("expirationMonth", (0, 13)),
        ("expirationYear", (30, "x")),
        ("cardNetwork", (None, {"name": "VISA"}, ["VISA"], True)),
        ("maskedAccountNumber", (None, {"name": "VISA"}, True)),
    ],
)
def test_what_describes_a_card_is_left_out_where_it_cannot_be_read(
    name: str, values: tuple[object, ...]
) -> None:
    for value in values:
        assert PaymentAccount.from_wire(ACCOUNT | {name: value}).to_wire() == without(ACCOUNT, name)


@every("field", WalletAddress.model_fields)
def test_every_line_of_an_address_is_one_line_of_at_most_255_characters(field: str) -> None:
    WalletAddress.build(**{field: "DE" if field == "country_code" else "x" * 255})
    for bad in ("x" * 256, "two\nlines", "\x7f", "\x85", "\u2028", 7):
        with pytest.raises(InvalidMessage):
            WalletAddress.build(**{field: bad})


def test_a_country_is_read_in_any_case_and_may_be_kosovo_or_none() -> None:
    for country in ("de", "XK", ""):
        assert WalletAddress.build(country_code=country).country_code == country.upper()
    for none in ("ZZ", "XX", "QM", "DEU", "D", "\uff24\uff25"):
        with pytest.raises(InvalidMessage, match="countryCode: is no country"):
            WalletAddress.build(country_code=none)


@every("account", ["3f2504e0-4f89-41d3", "WA~01JCE2:_(x)|{y}", "...", "QUJD+RA==", "ACC-4111111111111111"])
def test_an_account_is_read_as_it_is(account: str) -> None:
    assert WalletResult.from_wire(GOOD | {"transactionAccountId": account}).transaction_account_id == account
    assert query(account).transaction_account_id == account


@every(
    "account",
    [
        *(".", "..", "../x", "a/b", "a\\b", "a?b", "a#b", "a%2Fb", "%2e%2e", "a b", "a\u00e9", "", "a" * 256),
        *("4111111111111111", "4111.1111-1111_1111", "36006666333344"),
    ],
)
def test_what_an_address_reads_otherwise_and_a_card_number_are_no_account(account: str) -> None:
    with pytest.raises(InvalidMessage) as refused:
        WalletResult.from_wire(GOOD | {"transactionAccountId": account})
    assert not has_card_number(str(refused.value))
    with pytest.raises(InvalidMessage):
        query(account)


def test_of_the_offers_of_a_sheet_the_one_that_is_no_text_is_named() -> None:
    for wrong, words in ((["B"], "no text"), (None, "is missing")):
        with pytest.raises(InvalidMessage, match=words) as caught:
            SheetChoices.from_wire({"offers": ["A", wrong]})
        assert paths(caught.value) == ["offers[1]"]


def query(account: str) -> PaymentAccountQuery:
    return PaymentAccountQuery.build(
        transaction_account_id=account, merchant_id="m", store_id="s", encryption_key_id="k"
    )


@every("length", CRYPTOGRAM_LENGTHS)
def test_a_cryptogram_of_any_length_is_written_as_it_came_and_a_wrong_one_is_not_quoted(length: int) -> None:
    given = authorization() | {"cryptogram": cryptogram_of(length)}
    assert AuthorizationRequest.from_wire(given).to_wire()["cryptogram"] == cryptogram_of(length)
    with pytest.raises(InvalidMessage) as refused:
        AuthorizationRequest.from_wire(authorization() | {"cryptogram": "CANARY"})
    assert "CANARY" not in str(refused.value)


@every("status", AuthenticationStatus)
def test_who_was_authenticated_has_proof_and_who_was_not_needs_none(status: AuthenticationStatus) -> None:
    bare = {"version": "2.1.0", "eci": "07", "transactionStatus": status.value}
    if status in {AuthenticationStatus.AUTHENTICATED, AuthenticationStatus.ATTEMPTED}:
        for name in ("authenticationValue", "dsTransactionId"):
            with pytest.raises(InvalidMessage) as refused:
                ThreeDSecure.from_wire(without(PROOF, name) | {"transactionStatus": status.value})
            assert paths(refused.value) == [name]
    else:
        assert ThreeDSecure.from_wire(bare).to_wire() == bare


def test_an_answer_may_send_the_customer_away_to_an_address_that_is_one() -> None:
    answer = {"state": "Pending", "redirectUrl": "https://gateway.example/three-d-secure/x/"}
    assert AuthorizationResponse.from_wire(answer).to_wire() == answer
    with pytest.raises(InvalidMessage):
        AuthorizationResponse.from_wire(answer | {"redirectUrl": "javascript:alert(1)"})
    for nothing in (None, "", " "):
        assert AuthorizationResponse.from_wire(answer | {"redirectUrl": nothing}).redirect_url is None
