"""What the kit is pointed at: every wrong URL and account file ends in a sentence that names the fault."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.support.tables import every
from wallet_gateway.conformance.target import (
    SANDBOX_ACCOUNT,
    Account,
    Deposit,
    Unusable,
    amount_of,
    check_url,
    read_account,
)
from wallet_gateway.testing.configuration import BUILT_IN_MERCHANT

LEAST = {"merchantId": "M", "storeId": "S", "userId": "U", "provider": "ExampleWalletV2"}


@every(
    ("given", "base_url"),
    [
        ("https://gateway.example", "https://gateway.example"),
        ("https://gateway.example:8443/pay/", "https://gateway.example:8443/pay"),
        ("http://127.0.0.1:8001/", "http://127.0.0.1:8001"),
        ("http://[::1]:8001", "http://[::1]:8001"),
        ("http://localhost", "http://localhost"),
    ],
)
def test_a_url_is_taken(given: str, base_url: str) -> None:
    assert check_url(given) == base_url


@every(
    ("given", "said"),
    [
        ("", "no web address"),
        ("gateway.example", "no web address"),
        ("ftp://gateway.example", "no web address"),
        ("https://", "no web address"),
        ("https://[", "no web address"),
        ("https://gateway.example:port", "no web address"),
        ("https://shop:secret@gateway.example", "belong into the account file"),
        ("https://gateway.example?x=1", "belong into the account file"),
        ("http://gateway.example", "plain http is not used"),
        ("http://127.0.0.1.gateway.example", "plain http is not used"),
    ],
)
def test_a_wrong_url_is_refused(given: str, said: str) -> None:
    with pytest.raises(Unusable, match=said) as refused:
        check_url(given)
    assert "secret" not in str(refused.value)


def read(folder: Path, value: Any) -> Account:  # noqa: ANN401  (a JSON value)
    file = folder / "account.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return read_account(file)


def test_the_default_account_is_the_sandboxs() -> None:
    ours = {
        "MERCHANT_ID": SANDBOX_ACCOUNT.merchant_id,
        "STORE_ID": SANDBOX_ACCOUNT.store_id,
        "USER_ID": SANDBOX_ACCOUNT.user_id,
        "PROVIDER": SANDBOX_ACCOUNT.provider,
    }
    assert ours == BUILT_IN_MERCHANT


def test_an_account_file_of_four_names_is_enough(tmp_path: Path) -> None:
    account = read(tmp_path, LEAST)
    assert (account.merchant_id, account.store_id, account.user_id, account.provider) == tuple(LEAST.values())
    assert (account.profile, account.currency, account.amount) == ("test", "EUR", "1.00")
    assert account.path("checkout") == "/api/v5/checkout"
    assert account.tls() is None


def test_everything_an_account_file_may_say_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_KEY", "Bearer secret")
    more = {
        "profile": "prod",
        "currency": "JPY",
        "amount": "100",
        "returnUrl": "https://shop.example/back",
        "headers": {"Authorization": "$GATEWAY_KEY"},
        "paths": {"checkout": "/pay/checkout"},
        "deposit": {"parentTransactionId": "OLD-1", "amount": "500", "refunded": "200"},
        "walletJs": "https://gateway.example/wallet.js",
    }
    account = read(tmp_path, LEAST | more)
    assert account.headers == {"Authorization": "Bearer secret"}
    assert account.path("checkout") == "/pay/checkout"
    assert account.smallest == "1"
    assert account.deposit == Deposit(parent_transaction_id="OLD-1", amount="500", refunded="200")
    assert "secret" not in repr(account)


@every(
    ("value", "said"),
    [
        ("not JSON", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ([], "holds no JSON object"),
        ({}, "merchantId is missing"),
        (LEAST | {"merchant_id": "M"}, "merchant_id is not known"),
        (LEAST | {"storeId": 7}, "storeId must be a text"),
        (LEAST | {"storeId": " "}, "storeId must be a text"),
        (LEAST | {"profile": "live"}, "profile is 'live'"),
        (LEAST | {"amount": "1,00"}, "amount is '1,00'"),
        (LEAST | {"amount": "0.00"}, "amount is '0.00'"),
        (LEAST | {"headers": ["x"]}, "headers must be an object"),
        (
            LEAST | {"headers": {"Authorization": "$KIT_NOBODY_HAS_THIS"}},
            "no environment variable KIT_NOBODY",
        ),
        (LEAST | {"paths": {"pay": "/x"}}, "paths has pay"),
        (LEAST | {"paths": {"checkout": "x"}}, "begin with a slash"),
        (LEAST | {"deposit": "OLD-1"}, "deposit must be an object"),
        (LEAST | {"deposit": {"parentTransactionId": "OLD-1"}}, "deposit.amount must be a text"),
        (LEAST | {"deposit": {"parentTransactionId": "O", "amount": "x"}}, "deposit.amount is 'x'"),
    ],
)
def test_an_account_file_that_is_none_is_refused(value: object, said: str, tmp_path: Path) -> None:
    with pytest.raises(Unusable, match=said.replace("[", r"\[")):
        read(tmp_path, value)


def test_a_missing_account_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match=r"nothing\.json cannot be read: No such file"):
        read_account(tmp_path / "nothing.json")


@every("names", [{"caFile": "nothing.pem"}, {"clientCert": "nothing.pem"}])
def test_certificates_that_are_none_are_refused(names: dict[str, str], tmp_path: Path) -> None:
    account = read(tmp_path, LEAST | names)
    with pytest.raises(Unusable, match="certificates"):
        account.tls()


@every(
    ("text", "amount"),
    [
        ("1.00", Decimal("1.00")),
        ("0", Decimal(0)),
        ("", None),
        ("1.2.3", None),
        ("-1", None),
        ("1e3", None),
        ("NaN", None),
        ("\u0661", None),
    ],
)
def test_an_amount_is_digits_and_a_period(text: str, amount: Decimal | None) -> None:
    assert amount_of(text) == amount
