"""Secrets at rest: opened by their keys, shown by nothing."""

from __future__ import annotations

import pytest
from cryptography.fernet import Fernet
from pydantic import Secret

from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.operations.wallet.encryption import CardSecrets, UnreadableSecret, WalletCipher

OLD, NEW, STRANGE = (Fernet.generate_key().decode() for _ in range(3))
SECRET = "QUJDREVGR0hJSktMTU5PUFFSU1Q="


def test_what_was_sealed_opens_with_any_of_the_keys() -> None:
    sealed = WalletCipher([OLD]).seal(SECRET)
    assert SECRET.encode() not in sealed
    assert WalletCipher([NEW, OLD]).unseal(sealed) == SECRET
    assert WalletCipher([NEW, OLD]).unseal(memoryview(sealed)) == SECRET


@pytest.mark.parametrize("sealed", [b"", b"no ciphertext", WalletCipher([STRANGE]).seal(SECRET)])
def test_what_opens_with_none_of_them_says_so_and_nothing_else(sealed: bytes) -> None:
    cipher = WalletCipher([NEW, OLD])
    for read in (cipher.unseal, cipher.reseal):
        with refuses(UnreadableSecret, ErrorCode.WALLET_UNAVAILABLE) as failure:
            read(sealed)
        assert failure.value.__cause__ is None
        assert failure.value.__suppress_context__
    assert not cipher.is_under_newest_key(sealed)


def test_resealing_moves_a_secret_under_the_newest_key_and_keeps_its_date() -> None:
    sealed = WalletCipher([OLD]).seal(SECRET)
    cipher = WalletCipher([NEW, OLD])
    assert not cipher.is_under_newest_key(sealed)
    anew = cipher.reseal(sealed)
    assert cipher.is_under_newest_key(anew)
    assert WalletCipher([NEW]).unseal(anew) == SECRET
    assert Fernet(NEW).extract_timestamp(anew) == Fernet(OLD).extract_timestamp(sealed)


def test_nothing_shows_a_secret_or_a_key() -> None:
    secrets = CardSecrets(cryptogram=Secret(SECRET), eci=Secret("05"))
    shown = repr(secrets) + repr(WalletCipher([NEW, OLD])) + str(secrets)
    for secret in (SECRET, NEW, OLD):
        assert secret not in shown
    assert "05" not in shown


def test_a_card_is_sealed_with_its_indicator_or_without() -> None:
    cipher = WalletCipher([NEW])
    assert (
        cipher.unseal(CardSecrets(cryptogram=Secret(SECRET), eci=Secret("5")).sealed(cipher))
        == f'["{SECRET}","5"]'
    )
    assert cipher.unseal(CardSecrets(cryptogram=Secret(SECRET)).sealed(cipher)) == f'["{SECRET}",null]'
