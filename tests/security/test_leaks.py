"""No secret stands anywhere, and no customer's data but where they belong: looked for by their letters."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from fnmatch import fnmatchcase

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client, override_settings
from django.urls import reverse

from tests.admin.conftest import write_permissions
from tests.contrib.opentelemetry.memory import exporter
from tests.security import canaries, stores
from tests.security.canaries import PERSONAL, Canaries
from tests.security.gateway_faults import FaultyTransport
from tests.security.leak_allowances import ALLOWED
from tests.security.operations import PUBLIC, Shop
from tests.support.leftovers import same_receivers
from tests.support.shop import MovedClock
from wallet_gateway import gateways, payments
from wallet_gateway.context import DatabaseClock
from wallet_gateway.contrib.mails import receivers
from wallet_gateway.contrib.opentelemetry import spans
from wallet_gateway.domain.states import FINAL_STATES
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.testing.configuration import point_at
from wallet_gateway.testing.sandbox import SandboxServer

pytestmark = [pytest.mark.slow, pytest.mark.django_db]
KINDS = "column log mail metrics span support export admin page answer sandbox health"
"""What keeps or shows something: the first word of each place."""
PLANTED_LATER = {"cryptogram", "api key", "encryption key", "return token", "session cookie"}


def test_what_is_secret_stands_nowhere_and_what_is_personal_where_it_belongs_until_it_is_erased(
    wallet_sandbox_server: SandboxServer,
) -> None:
    with _shop(wallet_sandbox_server) as shop:
        records = _Records()
        with _listening(records):
            _everything(shop)
            places = _places(shop, records)
        found = set(shop.canaries.found_in(places))
        _erase(shop)
        left = sorted(at for at in shop.canaries.found_in(stores.rows()) if at[0] in PERSONAL)

    assert set(PUBLIC.values()) - shop.called == set(), "every public function is among what is done"
    assert {place.partition(" ")[0] for place in places} >= set(KINDS.split())
    assert shop.canaries.values.keys() >= PLANTED_LATER
    leaks = sorted(f"{canary} in {place}" for canary, place in found if not _is_allowed(canary, place))
    assert not leaks, f"{len(leaks)} leaks:\n" + "\n".join(leaks)
    assert not left, f"after everything was erased: {left}"
    unused = [
        f"{name} in {pattern}"
        for name, pattern in ALLOWED
        if not any(name == canary and fnmatchcase(place, pattern) for canary, place in found)
    ]
    assert not unused, "nothing stands there any more: delete the line\n" + "\n".join(unused)


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
        "APPROVALS": {"LIMITS": {"EUR": "1000.00"}},
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
