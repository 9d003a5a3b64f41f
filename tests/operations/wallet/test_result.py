"""What a page posts is read whole or not at all; a refusal names fields and never their values."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.protocol.samples import CRYPTOGRAM_LENGTHS, cryptogram_of
from tests.tables import every
from wallet_gateway.operations.errors import InvalidInput
from wallet_gateway.operations.wallet.result import (
    as_report,
    bound_account,
    checked_choices,
    given_by,
    read_result,
    report_of,
)
from wallet_gateway.protocol.accounts import FailedWalletResult, WalletResult

CRYPTOGRAM = "QUJDREVGR0hJSktMTU5PUFFSU1Q="
GOOD: dict[str, Any] = {
    "clientSystemTransactionId": "01ABC",
    "transactionAccountId": "account-1",
    "transactionMethod": "WalletPay",
    "cryptogram": CRYPTOGRAM,
    "eciIndicator": "05",
    "email": "ada@example.com",
    "shippingAddress": {"name": "Ada", "countryCode": "DE"},
}


@every("length", CRYPTOGRAM_LENGTHS)
def test_a_cryptogram_of_any_length_is_read_and_kept_in_no_other_field(length: int) -> None:
    # Nothing in a row of one letter looks like a cryptogram: the field it was given in says that it is one.
    for secret in (cryptogram_of(length), base64.b64encode(bytes(length)).decode()):
        result = read_result(
            GOOD
            | {
                "cryptogram": secret,
                "email": f"{secret}@x.example",
                "shippingAddress": {"name": f"Ada {secret}"},
            }
        )
        assert isinstance(result, WalletResult)
        assert result.cryptogram is not None
        assert result.cryptogram.get_secret_value() == secret
        assert given_by(result) == {
            "email": "[removed]@x.example",
            "shippingAddress": {"name": "Ada [removed]"},
        }
        failed = read_result({"code": "1", "description": f"no {secret}", "cryptogram": secret})
        assert isinstance(failed, FailedWalletResult)
        assert report_of(failed) == "1 no [removed]"


def test_a_long_failure_of_several_lines_is_read_and_kept_as_one_short_line() -> None:
    faults = "\n".join(f"itemDetails[{n}].unitAmount is missing" for n in range(30))
    result = read_result({"code": "4107940", "details": {"message": f"SchemaValidationError:\n{faults}"}})
    assert isinstance(result, FailedWalletResult)
    report = report_of(result)
    assert report.startswith("4107940 SchemaValidationError: itemDetails[0].unitAmount is missing ")
    assert len(report) == 300
    assert report.isprintable()


VISA = "4111111111111111"


def test_what_is_kept_of_a_result_has_no_card_number_and_no_cryptogram_wherever_a_page_put_one() -> None:
    spoilt = {
        "email": f"{VISA}",
        "billingAddress": {"name": f"Ada {VISA}", "address1": CRYPTOGRAM, "phoneNumber": VISA},
        "shippingAddress": {"locality": "4111-1111-1111-1111", "postalCode": "10115"},
    }
    result = read_result(GOOD | spoilt)
    assert isinstance(result, WalletResult)
    assert given_by(result) == {
        "email": "***1111",
        "billingAddress": {"name": "Ada ***1111", "address1": "[removed]", "phoneNumber": "***1111"},
        "shippingAddress": {"locality": "***1111", "postalCode": "10115"},
    }
    chosen = checked_choices({"address": {"locality": VISA, "countryCode": "DE"}})
    assert chosen["address"] == {"locality": "***1111", "countryCode": "DE"}


def test_a_phone_number_that_happens_to_have_a_check_digit_stays_whole_and_a_card_number_does_not() -> None:
    phone, diners = "4915100000079", "3600 666633 3344"
    result = read_result(GOOD | {"shippingAddress": {"phoneNumber": phone, "name": "Ada"}})
    assert isinstance(result, WalletResult)
    assert given_by(result)["shippingAddress"]["phoneNumber"] == phone
    result = read_result(GOOD | {"shippingAddress": {"phoneNumber": diners}})
    assert isinstance(result, WalletResult)
    assert given_by(result)["shippingAddress"]["phoneNumber"] == "***3344"


def test_an_account_is_kept_as_it_is_but_where_it_could_be_a_cryptogram() -> None:
    kept = bound_account(CRYPTOGRAM)
    assert CRYPTOGRAM not in kept
    assert kept == bound_account(CRYPTOGRAM) != bound_account("A" + CRYPTOGRAM[1:])


def test_an_account_is_kept_as_it_is_but_where_it_could_be_a_card_number() -> None:
    assert bound_account("account-1") == "account-1"
    assert bound_account("4111111111111112") == "4111111111111112"
    kept = bound_account(VISA)
    assert VISA not in kept
    assert kept == bound_account(VISA) != bound_account("5555555555554444")


def test_a_value_that_is_refused_is_told_by_its_length_alone() -> None:
    with pytest.raises(InvalidInput) as failure:
        read_result(GOOD | {"transactionMethod": "\u202eattack!"})
    assert [str(fault) for fault in failure.value.errors] == [
        "transactionMethod: '8 characters' is not known; give 'WalletPay'"
    ]


def test_a_name_is_kept_without_what_turns_its_direction() -> None:
    result = read_result(GOOD | {"shippingAddress": {"name": "Ada\u202e tset"}})
    assert isinstance(result, WalletResult)
    assert given_by(result)["shippingAddress"] == {"name": "Ada tset"}


def test_a_cryptogram_that_is_none_is_not_quoted() -> None:
    with pytest.raises(InvalidInput) as failure:
        read_result(GOOD | {"cryptogram": "almost-a-cryptogram"})
    assert "almost" not in str(failure.value)


def test_a_cryptogram_in_another_field_is_not_quoted_either() -> None:
    with pytest.raises(InvalidInput) as refused:
        read_result(GOOD | {"transactionMethod": CRYPTOGRAM})
    assert CRYPTOGRAM not in str(refused.value)
    told = as_report(f"could not use {CRYPTOGRAM}, 05")
    assert told == "could not use [removed], 05"


@every(
    ("said", "kept"),
    [
        ("plain", "plain"),
        ("two\nlines\x1b[31m", "two lines [31m"),
        ("card 4111111111111111 declined", "card ***1111 declined"),
        ("a\0b", ""),
        (7, ""),
        (None, ""),
    ],
)
def test_a_browsers_words_are_kept_tame(said: object, kept: str) -> None:
    assert as_report(said) == kept
    assert len(as_report("x" * 9999)) == 300
