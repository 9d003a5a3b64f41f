"""The gateway and the payments of the shop with django-payments: a plugin of its flows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from payments.signals import status_changed

from tests.contrib.django_payments.models import Payment
from tests.contrib.django_payments.shop import a_payment, pay

if TYPE_CHECKING:
    from django.test import Client

    from wallet_gateway.testing.control import SandboxControl


@pytest.fixture(autouse=True)
def gateway(wallet_sandbox: SandboxControl) -> SandboxControl:
    return wallet_sandbox


@pytest.fixture
def changes() -> Iterator[list[str]]:
    """The statuses that the shop was told."""
    told: list[str] = []

    def tell(instance: Payment, **_rest: object) -> None:
        told.append(instance.status)

    status_changed.connect(tell)
    yield told
    status_changed.disconnect(tell)


@pytest.fixture
def paid(client: Client, gateway: SandboxControl) -> Payment:
    payment = a_payment()
    pay(client, gateway, payment)
    return payment


@pytest.fixture
def reserved(client: Client, gateway: SandboxControl) -> Payment:
    payment = a_payment("reserving")
    pay(client, gateway, payment)
    return payment
