"""Which key what is stored was sealed with, and since when."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from cryptography.fernet import Fernet

from tests.models.rows import NOW, a_wallet_attempt
from tests.operations.wallet.test_keys import rows_made_by_hand as rows_made_by_hand
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.models import GatewayTransaction, WalletKey
from wallet_gateway.operations.wallet.encryption import WalletCipher
from wallet_gateway.operations.wallet.key_usage import survey
from wallet_gateway.operations.wallet.keys import rotate_keys

pytestmark = pytest.mark.django_db

OLD, NEW, GONE = (Fernet.generate_key().decode() for _ in range(3))
LONG_AGO = datetime(2025, 1, 1, tzinfo=UTC)


def sealed(key: str, at: datetime) -> bytes:
    return Fernet(key).encrypt_at_time(b"secret", int(at.timestamp()))


@pytest.fixture
def stored() -> None:
    """Two secrets under the older key, one under the newest, one under none."""
    attempt = a_wallet_attempt()
    WalletKey.objects.update(api_key=sealed(OLD, LONG_AGO), encryption_key=sealed(OLD, NOW))
    GatewayTransaction.objects.filter(pk=attempt.transaction_id).update(
        kind=TransactionKind.AUTHORIZATION, state=TransactionState.SENDING, wallet_secrets=sealed(NEW, NOW)
    )
    times = {"fetched_at": NOW, "expires_at": NOW}
    WalletKey.objects.create(gateway="default", api_key=sealed(GONE, NOW), encryption_key=b"", **times)


@pytest.mark.usefixtures("rows_made_by_hand", "stored")
def test_each_key_has_what_is_under_it_and_since_when() -> None:
    found = survey(WalletCipher([NEW, OLD]))

    newest, older = found.keys
    assert (newest.stored, newest.oldest) == (1, NOW)
    assert (older.stored, older.oldest) == (2, LONG_AGO)
    assert (found.waiting, found.unreadable) == (2, 1)


@pytest.mark.usefixtures("rows_made_by_hand", "stored")
def test_after_a_rotation_nothing_waits_and_the_dates_stay() -> None:
    cipher = WalletCipher([NEW, OLD])
    rotate_keys(cipher)

    found = survey(cipher)

    assert [key.stored for key in found.keys] == [3, 0]
    assert (found.waiting, found.keys[0].oldest, found.keys[1].oldest) == (0, LONG_AGO, None)


def test_a_fingerprint_is_the_beginning_of_the_keys_sha256_and_no_part_of_the_key() -> None:
    # By hand: printf %s "$KEY" | sha256sum
    key = "7zvQvZ2mJ0pHqQe3w1m8b6uYx4sT9rKfA5cLdNgEiWo="

    [use] = survey(WalletCipher([key])).keys

    assert use.fingerprint == "f3d4f183"
    assert repr(WalletCipher([key])) == "WalletCipher()"
