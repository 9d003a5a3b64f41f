"""The command that changes keys: it says what it did, and whether the older keys may go."""

from __future__ import annotations

from io import StringIO

import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from pytest_django import Settings

from tests.models.rows import NOW
from wallet_gateway.models import WalletKey
from wallet_gateway.operations.wallet.encryption import WalletCipher

pytestmark = pytest.mark.django_db
OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()


def use(settings: Settings, *keys: str) -> None:
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"FERNET_KEYS": list(keys)}


def a_key(*, under: str) -> WalletKey:
    cipher = WalletCipher([under])
    return WalletKey.objects.create(
        gateway="default",
        api_key=cipher.seal("api-key-5f1e"),
        encryption_key=cipher.seal("encryption-key-77"),
        fetched_at=NOW,
        expires_at=NOW,
    )


def run() -> str:
    out = StringIO()
    call_command("wallet_rotate_keys", stdout=out)
    return out.getvalue()


def test_everything_opens_with_the_new_key_alone_afterwards(settings: Settings) -> None:
    key = a_key(under=OLD)
    use(settings, NEW, OLD)

    said = run()

    assert "2 encrypted anew, 0 left, 0 unreadable" in said
    assert "needed no more" in said
    key.refresh_from_db()
    assert WalletCipher([NEW]).unseal(key.api_key) == "api-key-5f1e"
    assert WalletCipher([NEW]).unseal(key.encryption_key) == "encryption-key-77"
    assert run().startswith("0 encrypted anew")
    assert "5f1e" not in said


def test_a_key_that_is_gone_is_a_clear_error(settings: Settings) -> None:
    a_key(under=OLD)
    use(settings, NEW)
    with pytest.raises(CommandError, match="put back the key"):
        run()


def test_without_keys_there_is_nothing_to_rotate(settings: Settings) -> None:
    gateway = dict(settings.WALLET_GATEWAY["GATEWAYS"]["default"])
    gateway.pop("WALLET")
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"GATEWAYS": {"default": gateway}, "FERNET_KEYS": []}
    with pytest.raises(CommandError, match="FERNET_KEYS are not set"):
        run()
