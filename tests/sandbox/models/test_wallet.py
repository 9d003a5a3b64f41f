"""Rows of the wallet button: their names, no column for a card number, and hashes of secrets."""

from __future__ import annotations

from wallet_gateway.sandbox.models import (
    PaymentAccount,
    PublicKey,
    hash_secret,
)


def test_no_column_is_named_after_a_secret() -> None:
    names = {field.name for kind in (PaymentAccount, PublicKey) for field in kind._meta.get_fields()}
    assert not names & {"pan", "number", "cryptogram", "api_key", "encryption_key", "token"}


def test_an_account_knows_its_own_cryptogram_from_all_others() -> None:
    account = PaymentAccount(cryptogram_hash=hash_secret("secret"))
    assert account.has_cryptogram("secret")
    assert not account.has_cryptogram("Secret")
    assert not account.has_cryptogram("")


def test_a_hash_fits_its_column_and_holds_nothing_of_the_secret() -> None:
    assert len(hash_secret("é" * 1000)) == 64
    assert "secret" not in hash_secret("secret")
