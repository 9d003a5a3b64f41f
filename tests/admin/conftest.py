"""The back office: people with and without permissions, and orders that a gateway of written records paid."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.management import create_contenttypes
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from pytest_django import Settings

from tests.support.gateway import record
from tests.support.shop import Shop
from wallet_gateway.models import Payment, PaymentOrder

MakePerson = Callable[..., Client]
PaidOrder = Callable[..., PaymentOrder]

VIEWS = ("paymentorder", "gatewaytransaction", "discrepancy", "migrateddeposit", "operationbatch")
_names = itertools.count(1)


@pytest.fixture(autouse=True)
def _addresses(settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.admin.urls"


@pytest.fixture
def permissions(db: None) -> None:
    write_permissions()


def write_permissions() -> None:
    """Write what `migrate` writes; see `tests.support.databases`, which leaves it out for the other tests."""
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
def superuser(permissions: None) -> Client:
    """Somebody with all permissions there are."""
    client = Client()
    client.force_login(User.objects.create_superuser("root", password="x"))
    return client


@pytest.fixture
def paid_order(shop: Shop) -> PaidOrder:
    """Let a customer pay a new order on the hosted page."""
    words = {"sale": "ecom.sale", "preauthorization": "ecom.preAuthorization"}

    def make(amount: str = "20.00", type: str = "preauthorization", **given: Any) -> PaymentOrder:  # noqa: A002
        payment = shop.begin(amount=Decimal(amount), type=type, **given)
        opened = record(payment.reference, type=words[type], transactionAmount=float(amount))
        shop.report(
            payment, opened | {"apmDetails": {"apmProviderTransactionId": f"PRV-{payment.reference}"}}
        )
        return shop.ask(payment)

    return make


def payment_of(order: PaymentOrder) -> Payment:
    return order.payments.get()
