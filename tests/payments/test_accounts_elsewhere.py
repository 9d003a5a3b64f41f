"""Accounts outside the settings through the public API: they appear, change, fail and go."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from requests import PreparedRequest

from tests.conf.table import ACCOUNT, ACCOUNTS, Table, settings_of
from wallet_gateway import conf, gateways, payments
from wallet_gateway.doctor.examination import run_checks
from wallet_gateway.domain.states import OrderState
from wallet_gateway.findings import Code
from wallet_gateway.models import GatewayTransaction, Job, JobPosition, PaymentOrder
from wallet_gateway.payments import maintenance
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db(transaction=True)

signed_for: list[tuple[str, str, str]] = []
while_signing: list[Callable[[], None]] = []
"""What happens in another process, once, while a request is being signed."""


def sign(request: PreparedRequest, account: Any) -> PreparedRequest:  # noqa: ANN401 - as a shop writes it
    if while_signing:
        while_signing.pop()()
    signed_for.append((account.gateway, account.merchant.store_id, account.secrets["token"]))
    request.headers["Authorization"] = f"Bearer {account.secrets['token']}"
    return request


def account(number: int, **others: Any) -> dict[str, Any]:
    return ACCOUNT | {"AUTH_SECRETS": {"token": f"token-canary-{number}"}} | others


@pytest.fixture
def rows(wallet_sandbox: SandboxControl, settings: Settings) -> Iterator[Table]:
    """An empty table of accounts at the sandbox."""
    address = settings.WALLET_GATEWAY["GATEWAYS"]["default"]["BASE_URL"]
    settings.WALLET_GATEWAY = settings_of(
        BASE_URLS={
            "sandbox": {"BASE_URL": address, "AUTH": f"{__name__}.sign"},
            "elsewhere": {"BASE_URL": "http://127.0.0.1:9", "AUTH": f"{__name__}.sign"},
        }
    )
    ACCOUNTS.__init__()  # type: ignore[misc]
    signed_for.clear()
    yield ACCOUNTS
    ACCOUNTS.__init__()  # type: ignore[misc]


def order_of(gateway: str, reference: str) -> PaymentOrder:
    return payments.create_order(
        reference=reference, currency="EUR", amount=Decimal("10.00"), gateway=gateway
    )


def test_an_account_that_appears_is_paid_swept_and_signed_for_without_a_restart(
    rows: Table, wallet_sandbox: SandboxControl
) -> None:
    rows.write(1, one=account(1))
    assert [report.gateway for report in payments.sweep()] == ["one"]
    with pytest.raises(ImproperlyConfigured):
        order_of("two", "T-1")

    rows.write(2, one=account(1), two=account(2))
    order = order_of("two", "T-1")
    attempt = payments.start_checkout(order)
    wallet_sandbox.complete_checkout(attempt.reference, "success")

    assert payments.reconcile(order).state == OrderState.PAID
    assert set(signed_for) == {("two", "SANDBOX-STORE", "token-canary-2")}
    assert [report.gateway for report in payments.sweep()] == ["one", "two"]
    swept = JobPosition.objects.filter(job=Job.SWEEP).values_list("gateway", flat=True)
    assert set(swept) == {"one", "two"}
    assert maintenance.health().problems == ()


def test_changed_secrets_sign_the_next_request_and_the_clients_of_others_stay(rows: Table) -> None:
    rows.write(1, one=account(1), two=account(2))
    one, two = gateways.gateway("one"), gateways.gateway("two")
    rows.write(2, one=account(3), two=account(2))
    maintenance.forget_accounts()

    gateways.gateway("one").status("UNKNOWN-REFERENCE")

    assert signed_for == [("one", "SANDBOX-STORE", "token-canary-3")]
    assert gateways.gateway("one") is not one
    assert gateways.gateway("two") is two
    assert gateways.context_of("one").gateway is gateways.gateway("one")


def moved(rows: Table) -> None:
    """The account gets another store, other credentials and another address, and this process knows."""
    rows.write(2, one=account(2, STORE_ID="S-2", BASE_URL="elsewhere"))
    maintenance.forget_accounts()


def test_a_call_ends_with_the_address_the_store_and_the_credentials_that_it_began_with(
    rows: Table, wallet_sandbox: SandboxControl
) -> None:
    rows.write(1, one=account(1))
    order, later = order_of("one", "T-1"), order_of("one", "T-2")
    while_signing.append(lambda: moved(rows))

    attempt = payments.start_checkout(order)

    assert attempt.redirect_url
    assert signed_for == [("one", "SANDBOX-STORE", "token-canary-1")]
    [received] = wallet_sandbox.journal()
    assert "SANDBOX-STORE" in str(received)
    assert GatewayTransaction.objects.get().store_id == "SANDBOX-STORE"
    with pytest.raises(payments.errors.GatewayUnreachable):
        payments.start_checkout(later)
    assert signed_for[1][1:] == ("S-2", "token-canary-2")
    assert len(wallet_sandbox.journal()) == 1


def test_a_key_of_the_wallet_is_fetched_with_the_account_of_the_call_that_needs_it(rows: Table) -> None:
    rows.write(1, one=account(1, WALLET={"COUNTRY": "DE", "MERCHANT_NAME": "Example shop"}))
    begun = gateways.gateway("one")
    moved(rows)

    assert begun.current_api_key()

    assert signed_for == [("one", "SANDBOX-STORE", "token-canary-1")]


@pytest.mark.parametrize("gone", [None, {"MERCHANT_ID": ""}], ids=["vanished", "wrong"])
def test_what_waits_at_an_account_that_cannot_be_used_stays_and_is_told_and_goes_on_when_it_is_back(
    gone: dict[str, Any] | None,
    rows: Table,
    wallet_sandbox: SandboxControl,
    caplog: pytest.LogCaptureFixture,
    client: Client,
) -> None:
    rows.write(1, one=account(1), two=account(2))
    order = order_of("two", "T-1")
    attempt = payments.start_checkout(order)
    wallet_sandbox.complete_checkout(attempt.reference, "success")
    GatewayTransaction.objects.update(next_query_at=order.created_at)
    rows.write(2, one=account(1), **({} if gone is None else {"two": account(2) | gone}))
    maintenance.forget_accounts()

    with caplog.at_level(logging.ERROR):
        assert [report.gateway for report in payments.sweep()] == ["one"]

    assert "1 transactions wait at gateway 'two'" in caplog.text
    transaction = GatewayTransaction.objects.get()
    assert (transaction.state, transaction.next_query_at) == ("OPEN", order.created_at)
    found = maintenance.health()
    assert found.orphans == 1
    codes = {problem.code for problem in found.problems}
    assert codes == {Code.UNKNOWN_GATEWAY} | ({Code.ACCOUNT_WRONG} if gone else set())
    assert codes <= {finding.code for finding in run_checks()}
    page = client.get(reverse("wallet_gateway:pay", args=[order.token]))
    assert page.status_code == 200
    assert "Please do not pay again." in page.content.decode()
    with pytest.raises(ImproperlyConfigured):
        payments.reconcile(order)

    rows.write(3, one=account(1), two=account(2))
    maintenance.forget_accounts()
    payments.sweep()
    order.refresh_from_db()
    assert order.state == OrderState.PAID


def test_an_account_that_vanishes_between_its_listing_and_its_sweep_does_not_end_the_sweep(
    rows: Table, wallet_sandbox: SandboxControl, caplog: pytest.LogCaptureFixture
) -> None:
    rows.write(1, one=account(1), two=account(2))
    order = order_of("one", "T-1")
    payments.start_checkout(order)
    GatewayTransaction.objects.update(next_query_at=order.created_at)

    def vanish() -> None:
        rows.write(2, one=account(1))
        maintenance.forget_accounts()

    while_signing.append(vanish)
    assert [report.gateway for report in payments.sweep()] == ["one"]
    assert "gateway two is not swept" in caplog.text


@pytest.mark.parametrize("rate", [1e-300, 1e308])
def test_no_query_rate_of_one_account_ends_or_delays_the_sweep_of_the_others(
    rate: float, rows: Table, wallet_sandbox: SandboxControl
) -> None:
    rows.write(1, one=account(1), two=account(2))
    attempts = [payments.start_checkout(order_of(alias, f"T-{alias}")) for alias in ("one", "two")]
    for attempt in attempts:
        wallet_sandbox.complete_checkout(attempt.reference, "success")
    GatewayTransaction.objects.update(next_query_at=attempts[0].order.created_at)
    rows.write(2, one=account(1, QUERIES={"RATE": rate}), two=account(2))
    maintenance.forget_accounts()
    assert [report.gateway for report in payments.sweep()] == ["two"]
    assert payments.get_order("T-two").state == OrderState.PAID


def test_a_stop_of_everything_stops_an_account_that_is_wrong_at_the_moment(rows: Table) -> None:
    rows.write(1, one=account(1), two={})
    call_command("wallet_stop", reason="leak", by="anna", stdout=StringIO())
    assert {pause.gateway for pause in maintenance.sending_pauses()} == {"one", "two"}
    rows.write(2, one=account(1), two=account(2))
    maintenance.forget_accounts()
    with pytest.raises(payments.errors.SendingStopped):
        payments.start_checkout(order_of("two", "T-1"))
    call_command("wallet_stop", resume=True, reason="fixed", by="anna", stdout=StringIO())
    assert maintenance.sending_pauses() == ()


def test_customers_come_back_to_the_origin_of_their_account(
    rows: Table, wallet_sandbox: SandboxControl, settings: Settings, client: Client
) -> None:
    settings.ALLOWED_HOSTS = [".localhost", "127.0.0.1", "testserver"]
    rows.write(1, one=account(1), two=account(2, PUBLIC_ORIGIN="http://127.0.0.1:8077"))
    order = payments.create_order(
        reference="T-1",
        currency="EUR",
        amount=Decimal("10.00"),
        gateway="two",
        continue_url="http://127.0.0.1:8077/thanks",
        redirect_when_paid=True,
    )
    attempt = payments.start_checkout(order)
    wallet_sandbox.complete_checkout(attempt.reference, "success")
    assert "http://127.0.0.1:8077/wallet/" in str(wallet_sandbox.journal()[0])
    payments.reconcile(order)
    back = gateways.return_urls(attempt.reference, gateway="two").to_wire()["successUrl"]
    page = client.get(reverse("wallet_gateway:result", args=[back.rstrip("/").split("/")[-1]]))
    assert page["Location"] == "http://127.0.0.1:8077/thanks"


def test_one_context_has_the_keys_of_its_account_before_those_of_the_shop(rows: Table) -> None:
    own = Fernet.generate_key().decode()
    rows.write(1, one=account(1), two=account(2, FERNET_KEYS=[own]))
    one, two = gateways.context_of("one").cipher, gateways.context_of("two").cipher
    assert one is not None
    assert two is not None
    assert two.unseal(one.seal("stored before")) == "stored before"
    assert two.fingerprints[1:] == one.fingerprints
    assert list(gateways.ciphers()) == ["", "two"]


def test_accounts_in_a_table_are_looked_at_by_the_doctor_and_not_by_the_system_checks(
    rows: Table, settings: Settings
) -> None:
    rows.write(1, one=account(1), two=account(2, MERCHANT_ID=""))
    call_command("check")
    assert (rows.asked, rows.read) == (0, 0)
    found = {finding.code: finding for finding in run_checks()}
    assert "['one']['MERCHANT_ID']" in found[Code.SANDBOX_MERCHANT].text
    assert found[Code.ACCOUNT_WRONG].params["gateway"] == "two"
    assert "tests.conf.table.ACCOUNTS['two']['MERCHANT_ID']" in found[Code.ACCOUNT_WRONG].text


def test_no_secret_of_an_account_is_in_a_log_or_in_a_text(
    rows: Table, caplog: pytest.LogCaptureFixture, wallet_sandbox: SandboxControl
) -> None:
    rows.write(1, one=account(1), two=account(2, MERCHANT_ID=7))
    with caplog.at_level(logging.DEBUG):
        gateways.gateway("one").status("UNKNOWN-REFERENCE")
        payments.sweep()
        texts = [caplog.text, str(run_checks()), str(maintenance.wrong_accounts())]
    given = conf.gateway_settings("one")
    texts += [repr(conf.settings()), repr(gateways.gateway("one")), repr(gateways.auth_of(given))]
    assert not [text for text in texts if "token-canary" in text]
