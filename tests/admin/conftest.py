"""Fixtures of the admin tests: people with and without permissions, and orders that are really paid."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.management import create_contenttypes
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.admin.staff_tab import NOTHING_INLINE
from wallet_gateway import payments
from wallet_gateway.models import OperationBatch, Payment, PaymentOrder
from wallet_gateway.payments import batches
from wallet_gateway.testing.control import SandboxControl

MakePerson = Callable[..., Client]
PaidOrder = Callable[..., PaymentOrder]

VIEWS = ("paymentorder", "gatewaytransaction", "discrepancy", "migrateddeposit", "operationbatch")
_names = itertools.count(1)


@pytest.fixture(autouse=True)
def _addresses(settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.admin.urls"


@pytest.fixture(autouse=True)
def _patient_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let one look of a batch's page last a minute: a busy machine needs more than its two seconds."""
    monkeypatch.setattr(batches, "step", partial(batches.step, seconds=60.0))


@pytest.fixture
def nothing_inline(settings: Settings) -> None:
    """Forbid all pages whatever is inline."""
    settings.SECURE_CSP = NOTHING_INLINE
    middleware = "example_project.shop.middleware.ContentSecurityPolicyMiddleware"
    settings.MIDDLEWARE = [middleware, *settings.MIDDLEWARE]


@pytest.fixture
def permissions(db: None) -> None:
    write_permissions()


def write_permissions() -> None:
    """Write what `migrate` writes; see `tests.databases`, which leaves it out for the other tests."""
    ContentType.objects.clear_cache()
    app = apps.get_app_config("wallet_gateway")
    create_contenttypes(app, verbosity=0)
    create_permissions(app, verbosity=0)


@pytest.fixture
def make_person(permissions: None) -> MakePerson:
    """Make somebody of the staff who may see all but evidence, and do what is named; give their browser."""

    def make(*codenames: str, name: str = "", seeing: tuple[str, ...] = VIEWS) -> Client:
        user = User.objects.create_user(name or f"person-{next(_names)}", password="x", is_staff=True)
        wanted = {*codenames, *(f"view_{model}" for model in seeing)}
        found = Permission.objects.filter(content_type__app_label="wallet_gateway", codename__in=wanted)
        assert {permission.codename for permission in found} == wanted
        user.user_permissions.set(found)
        client = Client()
        client.force_login(user)
        return client

    return make


@pytest.fixture
def operator(make_person: MakePerson) -> Client:
    """Anna, who may do everything on the dashboard."""
    money = ("capture_payment", "refund_payment", "reverse_payment")
    return make_person(*money, "resolve_unknown", "view_transactionevent", name="anna")


@pytest.fixture
def clerk(make_person: MakePerson) -> Client:
    """Carla, who repays customers of the earlier provider."""
    return make_person("detached_refund", name="carla")


@pytest.fixture
def onlooker(make_person: MakePerson) -> Client:
    """Somebody who may look at orders and do nothing."""
    return make_person(name="otto")


@pytest.fixture
def superuser(db: None) -> Client:
    """Somebody with all permissions there are."""
    client = Client()
    client.force_login(User.objects.create_superuser("root", password="x"))
    return client


@pytest.fixture
def paid_order(wallet_sandbox: SandboxControl) -> PaidOrder:
    """Let a customer pay a new order on the hosted page."""
    numbers = itertools.count(1)

    def make(amount: str = "20.00", type: str = "preauthorization", **given: Any) -> PaymentOrder:  # noqa: A002
        details: dict[str, Any] = {"reference": f"A-{next(numbers)}", "currency": "EUR", "type": type}
        order = payments.create_order(amount=Decimal(amount), **details | given)
        attempt = payments.start_checkout(order)
        wallet_sandbox.complete_checkout(attempt.reference, "success")
        return payments.reconcile(attempt)

    return make


def carry_on(client: Client, batch: OperationBatch) -> str:
    """Do what the script of a batch's page does with each look; give the page."""
    url = reverse("admin:wallet_gateway_operationbatch_steer", args=[batch.pk])
    return client.post(url, {"carry_on": "1"}).content.decode()


def payment_of(order: PaymentOrder) -> Payment:
    return order.payments.get()


def order_url(order: PaymentOrder) -> str:
    return reverse("admin:wallet_gateway_paymentorder_change", args=[order.pk])


def operation_url(order: PaymentOrder, slug: str) -> str:
    arguments = [order.pk, payment_of(order).pk, slug]
    return reverse("admin:wallet_gateway_paymentorder_operation", args=arguments)


def ticket_on(client: Client, url: str) -> str:
    """Open a confirm page and give the one-time token that it holds."""
    found = re.search(r'name="ticket" value="([^"]+)"', client.get(url).content.decode())
    assert found, "the page offers nothing to confirm"
    return found[1]
