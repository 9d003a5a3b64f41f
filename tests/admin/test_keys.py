"""The page of the encryption keys: fingerprints and numbers, never a key; a button for who may rotate."""

from __future__ import annotations

import pytest
from cryptography.fernet import Fernet
from django.contrib.admin.models import LogEntry
from django.test import Client
from pytest_django import Settings

from tests.admin.conftest import MakePerson
from tests.models.rows import NOW
from wallet_gateway.admin import keys
from wallet_gateway.models import WalletKey
from wallet_gateway.operations.wallet.encryption import WalletCipher

pytestmark = pytest.mark.django_db

PAGE = "/admin/wallet_gateway/dashboard/keys/"
DASHBOARD = "/admin/wallet_gateway/dashboard/"
OLD, NEW = (Fernet.generate_key().decode() for _ in range(2))


def with_keys(settings: Settings, *given: str) -> None:
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "FERNET_KEYS": list(given)}


@pytest.fixture
def keeper(make_person: MakePerson, settings: Settings) -> Client:
    """Somebody who may rotate keys, in a shop where a new one has come."""
    with_keys(settings, NEW, OLD)
    return make_person("rotate_keys")


@pytest.fixture
def pair() -> WalletKey:
    """What the gateway gave, sealed by the older key."""
    before = WalletCipher([OLD])
    sealed = {"api_key": before.seal("api"), "encryption_key": before.seal("enc")}
    return WalletKey.objects.create(gateway="default", fetched_at=NOW, expires_at=NOW, **sealed)


def text_of(client: Client) -> str:
    answer = client.get(PAGE)
    assert answer.status_code == 200
    return answer.content.decode()


def test_it_shows_what_is_stored_under_each_key_and_no_key(keeper: Client, pair: WalletKey) -> None:
    page = text_of(keeper)

    for fingerprint in WalletCipher([NEW, OLD]).fingerprints:
        assert fingerprint in page
    assert "Still under an older key: 2." in page
    assert "manage.py wallet_rotate_keys" in page
    assert OLD not in page
    assert NEW not in page
    assert bytes(pair.api_key).decode() not in page


def test_the_button_encrypts_anew_and_is_in_the_log(keeper: Client, pair: WalletKey) -> None:
    page = keeper.post(PAGE, follow=True).content.decode()

    assert "Encrypted anew with the newest key: 2." in page
    assert "The older keys are needed no more, but by backups made before now." in page
    assert "Encrypt anew now" not in page
    pair.refresh_from_db()
    assert WalletCipher([NEW]).unseal(pair.api_key) == "api"
    assert "Encrypted anew with the newest key: 2." in LogEntry.objects.get().change_message


def test_much_is_left_to_the_command(
    keeper: Client, pair: WalletKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "MAX_AT_ONCE", 1)

    assert "Encrypt anew now" not in text_of(keeper)
    assert keeper.post(PAGE).status_code == 200
    pair.refresh_from_db()
    assert WalletCipher([OLD]).unseal(pair.api_key) == "api"


def test_what_no_key_opens_is_said_and_left_as_it_is(
    keeper: Client, pair: WalletKey, settings: Settings
) -> None:
    with_keys(settings, NEW)

    page = text_of(keeper)

    assert "Opened by none of the keys: 2." in page
    assert "Encrypt anew now" not in page


def test_it_takes_the_permission(onlooker: Client, keeper: Client, pair: WalletKey) -> None:
    assert onlooker.get(PAGE).status_code == onlooker.post(PAGE).status_code == 403
    assert PAGE not in onlooker.get(DASHBOARD).content.decode()
    assert PAGE in keeper.get(DASHBOARD).content.decode()
