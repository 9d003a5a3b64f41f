"""No secret stands anywhere, and no customer's data but where they belong: looked for by their letters."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from fnmatch import fnmatchcase

import pytest
from django.contrib.auth.models import Permission, User
from django.db import transaction as db_transaction
from django.test import Client, override_settings
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from tests.admin.conftest import write_permissions
from tests.contrib.opentelemetry.memory import exporter
from tests.leftovers import same_receivers
from tests.money.shop import MovedClock
from tests.security import canaries, stores
from tests.security.canaries import PERSONAL, Canaries
from tests.security.gateway_faults import FaultyTransport
from tests.security.leak_allowances import ALLOWED
from tests.security.operations import PUBLIC, Shop
from wallet_gateway import gateways, payments
from wallet_gateway.contrib.mails import receivers
from wallet_gateway.contrib.opentelemetry import spans
from wallet_gateway.domain.lifecycle import FINAL_STATES
from wallet_gateway.gateways import DatabaseClock
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.testing.configuration import point_at
from wallet_gateway.testing.sandbox import SandboxServer

pytestmark = [pytest.mark.slow, pytest.mark.django_db]
Found = set[tuple[str, str]]


@dataclass(frozen=True)
class Evidence:
    """What was found after everything had been done, and after all data had been erased again."""

    uncalled: set[str]
    searched: set[str]
    planted: set[str]
    found: Found
    left: Found


@pytest.fixture(scope="module")
def evidence(
    wallet_sandbox_server: SandboxServer, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Evidence:
    """Do everything once, for all tests of this file; nothing of it is committed."""
    with django_db_blocker.unblock(), _shop(wallet_sandbox_server) as shop, _of_a_test():
        records = _Records()
        with _listening(records):
            _everything(shop)
            places = _places(shop, records)
            found = set(shop.canaries.found_in(places))
        _erase(shop)
        left = {(name, place) for name, place in shop.canaries.found_in(stores.rows()) if name in PERSONAL}
        db_transaction.set_rollback(True)
    uncalled = set(PUBLIC.values()) - shop.called
    return Evidence(uncalled, set(places), set(shop.canaries.values), found, left)


def _of_a_test() -> db_transaction.Atomic:
    """Return a database transaction in which what demands to be the outermost one runs, as in a test."""
    atomic = db_transaction.atomic()
    atomic._from_testcase = True  # type: ignore[attr-defined]
    return atomic


class _Records(logging.Handler):
    """Keeps every record, whatever its level."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@contextmanager
def _shop(server: SandboxServer) -> Iterator[Shop]:
    """Set a shop up whose settings are canaries, too."""
    server.control.reset()
    given = point_at(server.base_url, {})
    given["GATEWAYS"]["default"] |= {
        "USER_ID": canaries.USER_ID,
        "APPROVAL_LIMITS": {"EUR": "1000.00"},
        "WALLET": {"COUNTRY": "DE", "MERCHANT_NAME": "Test shop"},
    }
    given |= {"FERNET_KEYS": [canaries.FERNET_KEY], "HEALTH_TOKEN": canaries.HEALTH_TOKEN}
    account = {
        name.lower(): given["GATEWAYS"]["default"][name] for name in ("MERCHANT_ID", "STORE_ID", "USER_ID")
    }
    server.control.add_merchant(**account, provider=given["GATEWAYS"]["default"]["PROVIDER"])
    project = {"SECRET_KEY": canaries.SECRET_KEY, "ROOT_URLCONF": "tests.security.urls"}
    with ExitStack() as stack:
        stack.enter_context(override_settings(WALLET_GATEWAY=given, **project))
        # Nothing waits between two tries.
        gateways.use_clock(clock := MovedClock())
        stack.callback(gateways.use_clock, DatabaseClock())
        transport = FaultyTransport(server.base_url)
        stack.callback(transport.close)
        gateways.use_transport(transport, alias="default")
        yield Shop(server.control, transport, clock, Canaries())


@contextmanager
def _listening(records: _Records) -> Iterator[None]:
    """Let mails be sent, spans be written and every log record be kept."""
    root, ours = logging.getLogger(), logging.getLogger("wallet_gateway")
    levels = root.level, ours.level
    root.addHandler(records)
    root.setLevel(logging.DEBUG)
    ours.setLevel(logging.DEBUG)
    exporter().clear()
    try:
        with same_receivers():
            receivers.connect()
            spans.connect()
            yield
    finally:
        root.removeHandler(records)
        root.setLevel(levels[0])
        ours.setLevel(levels[1])


def _everything(shop: Shop) -> None:
    _account("anna", "capture_payment", "detached_refund", "refund_payment")
    shop.many()
    shop.everything_fails()
    shop.button()
    shop.people()
    shop.upkeep()
    _stopped_by_staff()


def _account(name: str, *codenames: str) -> User:
    write_permissions()
    user = User.objects.create_user(name, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return user


def _stopped_by_staff() -> None:
    """Leave a line in the admin's own log."""
    client = _superuser()
    for verb in ("stop", "resume"):
        url = reverse("admin:wallet_gateway_dashboard_stop", args=["default", verb])
        client.post(url, {"reason": f"fraud with {canaries.CARD_NUMBERS[0]}"})


def _superuser() -> Client:
    client = Client()
    client.force_login(
        User.objects.filter(is_superuser=True).first() or User.objects.create_superuser("root")
    )
    return client


def _places(shop: Shop, records: _Records) -> stores.Places:
    views = Permission.objects.filter(content_type__app_label="wallet_gateway", codename__startswith="view_")
    # Who may see everything but the customer must see nothing of the customer anywhere.
    views = views.exclude(codename="view_customer")
    onlooker = Client()
    onlooker.force_login(_account("otto", *views.values_list("codename", flat=True)))
    pages = stores.admin_pages(_superuser(), "superuser", most=5)
    pages |= stores.admin_pages(onlooker, "onlooker", most=3)
    for payment in Payment.objects.order_by("pk")[::6]:
        for place, text in stores.customers_pages(shop.browsers[0], payment).items():
            pages[place] = pages.get(place, "") + text
    return {
        **pages,
        "answer": "\n".join(map(str, shop.told)),
        "span": "\n".join(span.to_json() for span in exporter().get_finished_spans()),
        **stores.monitors(canaries.HEALTH_TOKEN),
        **stores.exports(PaymentOrder.objects.all()),
        **stores.sandbox(shop.control.base_url, shop.control.journal()),
        **stores.mails(),
        **stores.rows(),
        **stores.logs(records.records),
    }


def _erase(shop: Shop) -> None:
    """Erase what is erased on request and after a time; what has not ended is taken for ended."""
    GatewayTransaction.objects.exclude(state__in=FINAL_STATES).update(state="ABANDONED")
    for order in PaymentOrder.objects.all():
        payments.maintenance.erase_customer(order, by="anna", reason="asked for it")
    shop.clock.by += timedelta(days=500)
    for _ in range(5):
        payments.maintenance.sweep()


def _is_allowed(canary: str, place: str) -> bool:
    return any(canary == name and fnmatchcase(place, pattern) for name, pattern in ALLOWED)


def test_every_public_function_is_among_what_is_done(evidence: Evidence) -> None:
    assert not evidence.uncalled


def test_no_canary_stands_where_none_belongs(evidence: Evidence) -> None:
    leaks = sorted(
        f"{canary} in {place}" for canary, place in evidence.found if not _is_allowed(canary, place)
    )
    assert not leaks, f"{len(leaks)} leaks:\n" + "\n".join(leaks)


def test_every_allowance_is_used(evidence: Evidence) -> None:
    unused = [
        f"{name} in {pattern}"
        for name, pattern in ALLOWED
        if not any(name == canary and fnmatchcase(place, pattern) for canary, place in evidence.found)
    ]
    assert not unused, "nothing stands there any more: delete the line\n" + "\n".join(unused)


def test_every_kind_of_place_is_searched(evidence: Evidence) -> None:
    kinds = {place.partition(" ")[0] for place in evidence.searched}
    assert kinds >= {
        "column",
        "log",
        "mail",
        "metrics",
        "span",
        "support",
        "export",
        "admin",
        "page",
        "answer",
    }
    assert kinds >= {"sandbox", "health"}
    assert {"cryptogram", "api key", "encryption key", "return token", "session cookie"} <= evidence.planted


def test_what_is_erased_is_gone_from_every_column(evidence: Evidence) -> None:
    assert not evidence.left, "\n".join(f"{canary} in {place}" for canary, place in sorted(evidence.left))
