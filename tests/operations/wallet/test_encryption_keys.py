"""Which key stored secrets were encrypted with, since when, and how they are encrypted with the newest."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from cryptography.fernet import Fernet

from tests.models.rows import NOW, a_wallet_attempt
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder, WalletAttempt, WalletKey
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.wallet import encryption_keys
from wallet_gateway.operations.wallet.encryption import WalletCipher
from wallet_gateway.operations.wallet.encryption_keys import Ciphers, rotate_keys, survey

pytestmark = pytest.mark.django_db

OLD, NEW, GONE = (Fernet.generate_key().decode() for _ in range(3))
LONG_AGO = datetime(2025, 1, 1, tzinfo=UTC)


@pytest.fixture
def rows_made_by_hand() -> Iterator[None]:
    """Delete rows made for their ciphertext alone, which no operation could have written."""
    yield
    for model in (WalletAttempt, GatewayTransaction, Payment, PaymentOrder):
        model.objects.all().delete()


by_hand = pytest.mark.usefixtures("rows_made_by_hand")


def of_shop(keys: list[str]) -> Ciphers:
    return Ciphers(shop=WalletCipher(keys))


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


@by_hand
@pytest.mark.usefixtures("stored")
def test_each_key_has_what_is_under_it_and_since_when() -> None:
    found = survey(of_shop([NEW, OLD]))

    newest, older = found.keys
    assert (newest.stored, newest.oldest) == (1, NOW)
    assert (older.stored, older.oldest) == (2, LONG_AGO)
    assert (found.waiting, found.unreadable) == (2, 1)


@by_hand
@pytest.mark.usefixtures("stored")
def test_after_a_rotation_nothing_waits_and_the_dates_stay() -> None:
    ciphers = of_shop([NEW, OLD])
    rotate_keys(ciphers)

    found = survey(ciphers)

    assert [key.stored for key in found.keys] == [3, 0]
    assert (found.waiting, found.keys[0].oldest, found.keys[1].oldest) == (0, LONG_AGO, None)


def test_a_fingerprint_is_the_beginning_of_the_keys_sha256_and_no_part_of_the_key() -> None:
    # By hand: printf %s "$KEY" | sha256sum
    key = "7zvQvZ2mJ0pHqQe3w1m8b6uYx4sT9rKfA5cLdNgEiWo="

    [use] = survey(of_shop([key])).keys

    assert use.fingerprint == "f3d4f183"
    assert repr(WalletCipher([key])) == "WalletCipher()"


@by_hand
def test_rotation_goes_through_everything_in_batches_and_may_be_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(encryption_keys, "_BATCH", 2)
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    before, after = WalletCipher([old]), WalletCipher([new, old])
    for number in range(5):
        attempt = a_wallet_attempt()
        WalletKey.objects.filter(pk=attempt.key_id).update(
            api_key=before.seal(f"a{number}"), encryption_key=before.seal(f"e{number}")
        )
        GatewayTransaction.objects.filter(pk=attempt.transaction_id).update(
            kind=TransactionKind.AUTHORIZATION,
            state=TransactionState.SENDING,
            wallet_secrets=before.seal(f"s{number}"),
        )

    assert rotate_keys(Ciphers(shop=after)).resealed == 15
    again = rotate_keys(Ciphers(shop=after))
    assert (again.resealed, again.left) == (0, 0)
    alone = WalletCipher([new])
    for number, row in enumerate(WalletKey.objects.order_by("pk")):
        assert (alone.unseal(row.api_key), alone.unseal(row.encryption_key)) == (f"a{number}", f"e{number}")
    for number, transaction in enumerate(GatewayTransaction.objects.order_by("pk")):
        assert alone.unseal(transaction.wallet_secrets or b"") == f"s{number}"


@by_hand
def test_a_row_that_changes_under_the_rotation_keeps_what_was_written_and_is_counted(
    monkeypatch: pytest.MonkeyPatch, context: GatewayContext
) -> None:
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    before, after = WalletCipher([old]), WalletCipher([new, old])
    a_wallet_attempt()
    WalletKey.objects.update(api_key=before.seal("a"), encryption_key=b"")
    reseal = after.reseal

    def meanwhile(sealed: bytes) -> bytes:
        WalletKey.objects.update(api_key=before.seal("newer"))
        return reseal(sealed)

    monkeypatch.setattr(after, "reseal", meanwhile)
    done = rotate_keys(Ciphers(shop=after))
    assert (done.resealed, done.left) == (0, 1)
    assert after.unseal(WalletKey.objects.get().api_key) == "newer"


@by_hand
def test_a_gateway_with_keys_of_its_own_has_its_secrets_under_them_and_the_shops_stay_where_they_are() -> (
    None
):
    own = Fernet.generate_key().decode()
    shop, tenant = WalletCipher([OLD]), WalletCipher([own, OLD])
    ciphers = Ciphers(shop=shop, of_gateways={"tenant-7": tenant})
    times = {"fetched_at": NOW, "expires_at": NOW}
    for gateway in ("default", "tenant-7"):
        WalletKey.objects.create(gateway=gateway, api_key=shop.seal("a"), encryption_key=b"", **times)
    before = survey(ciphers)
    assert ([key.stored for key in before.keys], before.waiting) == ([2, 0], 1)

    assert rotate_keys(ciphers).resealed == 1

    after = survey(ciphers)
    assert ([key.stored for key in after.keys], after.waiting, after.unreadable) == ([1, 1], 0, 0)
    assert WalletCipher([own]).unseal(WalletKey.objects.get(gateway="tenant-7").api_key) == "a"


@by_hand
def test_without_keys_of_the_shop_only_gateways_with_their_own_can_be_read() -> None:
    own = WalletCipher([Fernet.generate_key().decode()])
    times = {"fetched_at": NOW, "expires_at": NOW}
    for gateway in ("default", "tenant-7"):
        WalletKey.objects.create(gateway=gateway, api_key=own.seal("a"), encryption_key=b"", **times)
    ciphers = Ciphers(shop=None, of_gateways={"tenant-7": own})

    assert (survey(ciphers).unreadable, rotate_keys(ciphers).unreadable) == (1, 1)
