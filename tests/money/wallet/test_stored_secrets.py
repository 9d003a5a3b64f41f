"""Secrets at rest: under which key they are, how they come under the newest, and that nothing shows them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

from tests.money.wallet.customers import Customer, detail_for
from tests.support.database_faults import meddling, update_of
from tests.support.shop import Shop
from wallet_gateway import payments
from wallet_gateway.models import WalletKey

pytestmark = pytest.mark.django_db
OLD, NEW, GONE, OWN = (Fernet.generate_key().decode() for _ in range(4))
LONG_AGO = datetime(2025, 1, 1, tzinfo=UTC)


def use(shop: Shop, *keys: str, **account: Any) -> None:
    """Let the settings name these keys, the newest first."""
    shop.settings.WALLET_GATEWAY = shop.settings.WALLET_GATEWAY | {"FERNET_KEYS": list(keys)}
    shop.configure(**account)


def written_long_ago(key: str) -> None:
    """Let the gateway's API key be as it was sealed long ago."""
    row = WalletKey.objects.latest("pk")
    secret = Fernet(key).decrypt(bytes(row.api_key))
    row.api_key = Fernet(key).encrypt_at_time(secret, int(LONG_AGO.timestamp()))
    row.save()


def test_each_key_has_what_is_under_it_and_since_when_and_after_a_rotation_nothing_waits(
    customer: Customer,
) -> None:
    use(customer.shop, OLD)
    customer.open(customer.order())
    written_long_ago(OLD)
    use(customer.shop, NEW, OLD)
    found = payments.wallet.survey_keys()
    newest, older = found.keys
    assert (newest.stored, newest.oldest) == (0, None)
    assert (older.stored, older.oldest) == (2, LONG_AGO)
    assert found.unreadable == 0
    assert found.waiting >= 2

    done = payments.wallet.rotate_keys()
    assert (done.resealed, done.left, done.unreadable) == (found.waiting, 0, 0)
    newest, older = payments.wallet.survey_keys().keys
    assert (newest.stored, newest.oldest, older.stored) == (2, LONG_AGO, 0)
    again = payments.wallet.rotate_keys()
    assert (again.resealed, again.left) == (0, 0)

    assert Fernet(NEW).decrypt(bytes(WalletKey.objects.get().api_key)) == b"api-key-1"


def test_a_button_goes_on_with_its_key_whichever_of_the_keys_it_is_under(customer: Customer) -> None:
    use(customer.shop, OLD)
    order = customer.order()
    reference = customer.open(order).reference
    use(customer.shop, NEW, OLD)
    assert customer.open(order).reference == reference
    payments.wallet.rotate_keys()
    use(customer.shop, NEW)
    assert customer.open(order).reference == reference
    assert customer.pay(order).order.state == "PAID"
    assert customer.gateway.keys_asked == 1


def test_a_key_sealed_with_a_key_that_is_gone_is_fetched_anew_and_told(
    customer: Customer, caplog: pytest.LogCaptureFixture
) -> None:
    use(customer.shop, GONE)
    order = customer.order()
    before = customer.open(order)
    use(customer.shop, NEW)
    found, done = payments.wallet.survey_keys(), payments.wallet.rotate_keys()
    assert found.unreadable == done.unreadable == 2
    with pytest.raises(payments.errors.WalletUnavailable, match="opens a stored secret") as error:
        customer.post(order, detail_for(before.reference))
    assert (error.value.__cause__, error.value.__suppress_context__) == (None, True)
    after = customer.open(order)
    assert after.reference != before.reference
    assert (after.parameters["publicKeyApi"], customer.gateway.keys_asked) == ("api-key-2", 2)


def test_a_gateway_with_keys_of_its_own_has_its_secrets_under_them_and_the_shops_stay_where_they_are(
    customer: Customer,
) -> None:
    use(customer.shop, OLD)
    order = customer.order()
    customer.open(order)
    row = WalletKey.objects.get()
    other = {"gateway": "another", "expires_at": row.expires_at, "fetched_at": row.fetched_at}
    WalletKey.objects.create(api_key=row.api_key, encryption_key=row.encryption_key, **other)
    use(customer.shop, OLD, FERNET_KEYS=[OWN])
    found = payments.wallet.survey_keys()
    assert ([key.stored for key in found.keys], found.waiting) == ([4, 0], 2)
    assert payments.wallet.rotate_keys().resealed == 2
    found = payments.wallet.survey_keys()
    assert ([key.stored for key in found.keys], found.waiting, found.unreadable) == ([2, 2], 0, 0)
    assert Fernet(OWN).decrypt(bytes(WalletKey.objects.get(gateway="default").api_key)) == b"api-key-1"
    # Without keys of the shop only the gateways with their own can be read.
    use(customer.shop, FERNET_KEYS=[OWN])
    assert payments.wallet.survey_keys().unreadable == payments.wallet.rotate_keys().unreadable == 2
    assert customer.open(order).reference


def test_a_fingerprint_is_the_beginning_of_the_keys_sha256_and_no_part_of_the_key(shop: Shop) -> None:
    # By hand: printf %s "$KEY" | sha256sum
    use(shop, "7zvQvZ2mJ0pHqQe3w1m8b6uYx4sT9rKfA5cLdNgEiWo=")
    (key,) = payments.wallet.survey_keys().keys
    assert key.fingerprint == "f3d4f183"


def test_without_keys_there_is_no_button(customer: Customer) -> None:
    order = customer.order()
    with pytest.raises(ImproperlyConfigured, match="FERNET_KEYS"):
        use(customer.shop)
    with pytest.raises(ImproperlyConfigured, match="FERNET_KEYS"):
        customer.open(order)


@pytest.mark.every_database
def test_a_row_that_changes_under_the_rotation_keeps_what_was_written_and_is_counted(
    customer: Customer,
) -> None:
    use(customer.shop, OLD)
    customer.open(customer.order())
    newer = Fernet(OLD).encrypt(b"newer")
    use(customer.shop, NEW, OLD)
    row = WalletKey.objects.all()
    with meddling(update_of("wallet_gateway_walletkey"), act=lambda: row.update(api_key=newer)):
        done = payments.wallet.rotate_keys()
    assert done.left == 1
    assert bytes(WalletKey.objects.get().api_key) == newer
    assert payments.wallet.rotate_keys().left == 0
    assert Fernet(NEW).decrypt(bytes(WalletKey.objects.get().api_key)) == b"newer"
