"""The command that changes keys: it says what it did, and whether the older keys may go."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command
from pytest_django import Settings

from tests.models.rows import NOW, a_payment, a_transaction, a_wallet_attempt, an_order
from wallet_gateway import gateways, payments
from wallet_gateway.models import WalletKey
from wallet_gateway.payments import maintenance

pytestmark = pytest.mark.django_db
OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()


def use(settings: Settings, *keys: str) -> Any:  # noqa: ANN401 - what seals and opens with these keys
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"FERNET_KEYS": list(keys)}
    return gateways.cipher()


def run() -> str:
    out = StringIO()
    call_command("wallet_rotate_keys", stdout=out)
    return out.getvalue()


def test_everything_opens_with_the_new_key_alone_afterwards(settings: Settings) -> None:
    sealed = {name: use(settings, OLD).seal(f"{name}-5f1e") for name in ("api_key", "encryption_key")}
    key = WalletKey.objects.create(gateway="default", fetched_at=NOW, expires_at=NOW, **sealed)
    use(settings, NEW, OLD)

    said = run()

    assert "2 encrypted anew, 0 left, 0 unreadable" in said
    assert "needed no more" in said
    key.refresh_from_db()
    assert {name: use(settings, NEW).unseal(bytes(getattr(key, name))) for name in sealed} == {
        name: f"{name}-5f1e" for name in sealed
    }
    assert run().startswith("0 encrypted anew")
    assert "5f1e" not in said


def without_wallet(settings: Settings, *keys: str) -> None:
    gateway = dict(settings.WALLET_GATEWAY["GATEWAYS"]["default"])
    gateway.pop("WALLET", None)
    given = {"GATEWAYS": {"default": gateway}, "FERNET_KEYS": list(keys)}
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | given


A, B = "a" * 50, "b" * 50
CHANGES: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "a new Fernet key": ({"fernet": [OLD]}, {"fernet": [NEW, OLD]}, {"fernet": [NEW]}),
    "the first one": ({"fernet": []}, {"fernet": [NEW]}, {"fernet": [NEW], "secret": "z" * 50}),
    "a new SECRET_KEY": ({"secret": A}, {"secret": B, "fallbacks": [A]}, {"secret": B}),
    "the older key was lost": ({"secret": A}, {"secret": B}, {"secret": B}),
}


@pytest.mark.parametrize(("before", "between", "afterwards"), CHANGES.values(), ids=CHANGES)
def test_customers_are_found_before_and_after_a_change_of_keys(
    settings: Settings, before: dict[str, Any], between: dict[str, Any], afterwards: dict[str, Any]
) -> None:
    def use_keys(
        *, fernet: Sequence[str] = (), secret: str = "s" * 50, fallbacks: Sequence[str] = ()
    ) -> None:
        without_wallet(settings, *fernet)
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = secret, list(fallbacks)

    def found() -> list[list[str]]:
        addresses = ("ada@example.com", "bob@example.com", "cleo@example.com")
        return [[order.reference for order in maintenance.orders_of(email=one)] for one in addresses]

    use_keys(**before)
    payments.create_order(
        reference="A-1",
        currency="EUR",
        amount=Decimal("10.00"),
        cardholder_email="ada@example.com",
        shipping_address={"email": "bob@example.com"},
    )
    by_wallet = a_transaction(a_payment(an_order(reference="A-2")), state="EXPIRED")
    a_wallet_attempt(by_wallet, given={"email": "cleo@example.com"})
    # It has a key of a gateway that nothing opens.
    WalletKey.objects.update(api_key=b"", encryption_key=b"")
    wanted = [["A-1"], ["A-1"], ["A-2"]]
    assert found() == wanted
    use_keys(**between)
    assert found() == wanted or "fallbacks" not in between

    assert run().startswith("2 encrypted anew, 0 left, 0 unreadable")
    assert run().startswith("0 encrypted anew")

    use_keys(**afterwards)
    assert found() == wanted
