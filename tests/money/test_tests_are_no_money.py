"""A test is not money: what an account with the profile `test` was paid stays a test once it is live."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db.models import F
from django.test import Client
from pytest_django import Settings

from tests.models.rows import a_deposit
from tests.support.database_faults import WRITING, meddling
from tests.support.gateway import record
from tests.support.shop import Shop, compared, doctors_words, kinds, news, order_of, reloaded
from wallet_gateway import payments, return_tokens
from wallet_gateway.models import (
    Discrepancy,
    ForgottenReference,
    GatewayTransaction,
    MigratedDeposit,
    Payment,
    PaymentOrder,
    TransactionEvent,
)
from wallet_gateway.payments.errors import InvalidState
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.testing.plugin import WalletApplication

pytestmark = pytest.mark.django_db

Switch = Callable[[str], None]
ACCOUNT = {"MERCHANT_ID": "M-1", "STORE_ID": "S-1"}
LIVE = {"PROFILE": "prod", "BASE_URL": "https://gateway.example"}
TEST = {"PROFILE": "test", "BASE_URL": "http://127.0.0.1:8001"}


@pytest.fixture
def switch(settings: Settings, wallet_application: WalletApplication, shop: Shop) -> Switch:
    """Give the gateway another profile: the same alias and the same account."""
    given = settings.WALLET_GATEWAY
    plain = {name: value for name, value in given["GATEWAYS"]["default"].items() if name != "WALLET"}

    def to(profile: str) -> None:
        more = LIVE if profile == "prod" else TEST
        settings.WALLET_GATEWAY = {
            **given,
            "PUBLIC_ORIGIN": "https://shop.example",
            "GATEWAYS": {"default": {**plain, **ACCOUNT, **more}},
        }
        wallet_application(shop.gateway)
        shop.gateway.asked.clear()

    to("test")
    return to


def mode(payment: Payment, *, is_test: bool | None) -> Payment:
    """Make a payment one that was live, or one of unknown mode."""
    Payment.objects.filter(pk=payment.pk).update(is_test=is_test)
    payment.refresh_from_db()
    return payment


def exported(what: str, **options: Any) -> dict[str, str]:
    """Return the column `test` of an export by the first column."""
    out = io.StringIO()
    call_command("wallet_export", what, stdout=out, **options)
    rows = csv.DictReader(io.StringIO(out.getvalue()))
    return {next(iter(row.values())): row["test"] for row in rows}


@pytest.fixture
def superuser(client: Client, settings: Settings) -> Client:
    settings.ROOT_URLCONF = "tests.admin.urls"
    client.force_login(User.objects.create_superuser("root"))
    return client


def page_of(client: Client, path: str, **query: str) -> str:
    answer = client.get(f"/admin/wallet_gateway/{path}", query, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


# What is read of a payment that was a test


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("modes", "profile", "said"),
    [
        ([True], "prod", "yes"),
        ([False], "test", "no"),
        ([None], "test", "no"),
        ([None], "prod", "no"),
        ([True, True], "prod", "yes"),
        ([True, False], "prod", "no"),
        ([False, True], "prod", "no"),
    ],
)
def test_exports_keep_the_mode_in_which_was_paid_and_an_order_is_a_test_if_all_its_payments_are(
    modes: list[bool | None], profile: str, said: str, shop: Shop, switch: Switch
) -> None:
    first, *others = modes
    payment = mode(shop.pay(), is_test=first)
    for second in others:
        other = Payment.objects.get(pk=payment.pk)
        other.pk, other.number, other.reference = None, 2, "another"
        other.authorized = other.captured = 0
        other.state, other.is_test = "FAILED", second
        other.save(force_insert=True)
    switch(profile)
    assert exported("transactions") == {payment.reference: "yes" if first else "no"}
    assert set(exported("events").values()) == {"yes" if first else "no"}
    assert exported("orders", by="created") == {order_of(payment).reference: said}
    assert order_of(payment).is_test is (said == "yes")
    Payment.objects.filter(reference="another").delete()


def test_figures_of_a_live_account_count_no_test(shop: Shop, switch: Switch, superuser: Client) -> None:
    test, live, unknown = shop.pay(), shop.pay(), shop.pay()
    assert "€90.00" in page_of(superuser, "dashboard/figures/")
    mode(live, is_test=False)
    mode(unknown, is_test=None)
    for profile in ("prod", "test"):
        switch(profile)
        page = page_of(superuser, "dashboard/figures/")
        assert "€60.00" in page
        assert "€90.00" not in page
        assert "Tests are not counted among real money: default." in page
    counted = superuser.get("/admin/wallet_gateway/gatewaytransaction/", {"counted": "TAKEN"})
    listed = {row.reference for row in counted.context["cl"].result_list}
    assert listed == {live.reference, unknown.reference}
    assert test.reference not in listed


def test_pages_and_lists_mark_a_test_and_nothing_else(shop: Shop, switch: Switch, superuser: Client) -> None:
    test, live = shop.pay(), mode(shop.pay(), is_test=False)
    switch("prod")
    for path in ("paymentorder/", "gatewaytransaction/"):
        assert page_of(superuser, path).count("wallet-badge--test") == 1, path
    for payment, is_marked in ((test, True), (live, False)):
        for row in (order_of(payment), payment.opening):
            page = page_of(superuser, f"{row._meta.model_name}/{row.pk}/change/")
            assert ("This was a test: no real money moved." in page) is is_marked
    refund = f"paymentorder/{test.order_id}/payments/{test.pk}/refund/"
    assert "This was a test" in page_of(superuser, refund)


def test_the_customers_page_says_what_was_paid(shop: Shop, switch: Switch, client: Client) -> None:
    test, live = shop.pay(), mode(shop.pay(), is_test=False)
    switch("prod")
    for payment, is_marked in ((test, True), (live, False)):
        token = return_tokens.sign(payment.reference, ReturnOutcome.SUCCESS)
        page = client.get(f"/wallet/result/{token}/").content.decode()
        assert "30.00" in page
        assert ("No real money moves." in page) is is_marked


# What the gateway is asked


def test_a_live_account_is_not_asked_about_a_test(shop: Shop, switch: Switch) -> None:
    paid, begun = shop.pay(type="preauthorization"), shop.begin()
    lost = shop.lose_answer(payments.capture, order_of(paid), Decimal("1.00"))
    switch("prod")
    shop.gateway.records.clear()
    shop.days(1)
    for payment in (paid, begun):
        shop.ask(payment)
        payments.orders.reconcile_attempt(payment.reference)
        payments.maintenance.query_status(order_of(payment))
        assert payments.gateway_records(order_of(payment)) == ()
    assert "0 transactions to compare" in compared()
    assert shop.gateway.asked == []
    assert news() == []
    assert not Discrepancy.objects.exists()
    assert reloaded(lost).state == "UNKNOWN"


def test_tests_that_are_due_keep_no_live_payment_waiting(shop: Shop, switch: Switch) -> None:
    for _ in range(12):
        shop.begin()
    live = mode(shop.begin(), is_test=False)
    Payment.objects.filter(pk=live.pk).update(is_test=None)
    switch("prod")
    shop.report(live, record(live.reference))
    shop.clock.by += timedelta(hours=1)
    payments.sweep()
    assert set(shop.gateway.asked) == {live.reference}
    assert order_of(live).state == "PAID"


def test_nothing_follows_a_test_on_a_live_account(shop: Shop, switch: Switch) -> None:
    payment = shop.pay()
    switch("prod")
    with pytest.raises(InvalidState, match=r"PROFILE 'test'.*PROFILE 'prod'"):
        payments.refund(order_of(payment), Decimal("1.00"))
    assert shop.gateway.sent == []
    assert payment.transactions.count() == 1


def test_a_live_payment_behind_a_test_account_is_neither_lost_nor_silent(shop: Shop, switch: Switch) -> None:
    payment, page = shop.pay(), shop.begin()
    lost = shop.lose_answer(payments.refund, order_of(payment), Decimal("1.00"))
    mode(payment, is_test=False)
    mode(page, is_test=False)
    shop.gateway.records.clear()
    shop.days(2)
    assert reloaded(lost).state == "UNKNOWN"
    opening = GatewayTransaction.objects.get(payment=page)
    assert (opening.state, opening.needs_operator) == ("OPEN", True)
    assert "payments with real money are stored" in doctors_words()
    assert f"{payment.reference}  MISSING_THERE" in compared()
    with pytest.raises(InvalidState, match="PROFILE 'prod'"):
        payments.refund(order_of(mode(shop.pay(), is_test=False)), Decimal("1.00"))


# Money out of an account that was a test


def test_a_deposit_keeps_the_mode_of_its_refunds(shop: Shop, switch: Switch) -> None:
    given: dict[str, Any] = {"amount": Decimal("5.00"), "currency": "EUR"}
    of_file = {"transacted_at_text": "2024-01-01T00:00:00.0000000", "provider_transaction_id": "P-1"}
    deposit = a_deposit(
        parent_transaction_id="OLD-1", is_known=True, amount_minor=1000, is_test=None, **of_file
    )
    refund = payments.refund_migrated("OLD-1", **given)
    assert (refund.state, reloaded(deposit).is_test, refund.is_test) == ("APPROVED", True, True)
    switch("prod")
    with pytest.raises(InvalidState, match="PROFILE 'test'"):
        payments.refund_migrated("OLD-1", **given)
    assert exported("transactions") == {refund.reference: "yes"}
    shop.days(1)
    assert shop.gateway.asked == []
    live = payments.refund_migrated("OLD-2", **given)
    assert MigratedDeposit.objects.get(parent_transaction_id="OLD-2").is_test is False
    assert exported("transactions")[live.reference] == "no"
    (row,) = csv.DictReader(io.StringIO("".join(payments.maintenance.export_migration_file())))
    assert row["refundedAmount"] == "0.00"


@pytest.mark.every_database
def test_a_deposit_that_a_test_refunds_at_the_same_moment_is_not_refunded_live(
    shop: Shop, switch: Switch
) -> None:
    switch("prod")
    deposit = a_deposit(parent_transaction_id="OLD-1", is_test=None)
    row = MigratedDeposit.objects.filter(pk=deposit.pk)
    with (
        meddling(WRITING, act=lambda: row.update(refunded=100, is_test=True)),
        pytest.raises(InvalidState, match="PROFILE 'test'"),
    ):
        payments.refund_migrated("OLD-1", Decimal("5.00"), "EUR")
    assert (reloaded(deposit).is_test, shop.gateway.sent) == (True, [])
    row.update(refunded=0)


def test_health_of_a_live_account_counts_no_test(shop: Shop, switch: Switch) -> None:
    payment = shop.pay()
    lost = shop.lose_answer(payments.refund, order_of(payment), Decimal("1.00"))
    GatewayTransaction.objects.filter(pk=lost.pk).update(
        needs_operator=True, state_changed_at=F("state_changed_at") - timedelta(days=2)
    )
    assert [finding.code for finding in news()] == ["outcome_unknown", "transactions_waiting"]
    switch("prod")
    assert news() == []
    assert (payments.maintenance.health().unknown, len(kinds())) == (0, 0)


# Deleting tests


def forget(**options: Any) -> str:
    out = io.StringIO()
    call_command("wallet_forget_tests", stdout=out, **options)
    return out.getvalue()


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_tests_are_deleted_once_their_number_is_typed(shop: Shop, switch: Switch) -> None:
    test, live, unknown = shop.pay(), mode(shop.pay(), is_test=False), mode(shop.pay(), is_test=None)
    nobodys, begun = shop.order(), shop.begin()
    payments.refund(order_of(test), Decimal("1.00"))
    references = set(test.transactions.values_list("reference", flat=True))
    switch("prod")
    with pytest.raises(CommandError, match="the number is 1, not '2'"):
        forget(yes="2")
    assert PaymentOrder.objects.count() == 5
    assert "Deleted: 1. Kept: 1." in forget(yes="1")
    left = {live.order_id, unknown.order_id, nobodys.pk, begun.order_id}
    assert set(PaymentOrder.objects.values_list("pk", flat=True)) == left
    assert not GatewayTransaction.objects.filter(reference__in=references).exists()
    assert not TransactionEvent.objects.filter(transaction__reference__in=references).exists()
    hashes = {ForgottenReference.hash_of(reference) for reference in references}
    assert set(ForgottenReference.objects.values_list("reference_hash", flat=True)) == hashes


@pytest.mark.parametrize(("profile", "is_test"), [("test", False), ("prod", None)])
def test_live_payments_are_refused_in_one_sentence(
    profile: str, is_test: bool | None, shop: Shop, switch: Switch
) -> None:
    mode(shop.pay(), is_test=is_test)
    switch(profile)
    for options in ({}, {"yes": "1"}, {"yes": "0"}, {"gateway": "default", "yes": "1"}):
        with pytest.raises(CommandError, match=r"^Nothing was deleted: "):
            forget(**options)
    assert PaymentOrder.objects.count() == 1
    assert not ForgottenReference.objects.exists()


def test_an_attempt_or_operation_without_an_end_keeps_its_order(shop: Shop, switch: Switch) -> None:
    shop.begin()
    lost = shop.pay()
    shop.lose_answer(payments.refund, order_of(lost), Decimal("1.00"))
    found = forget(yes="2")
    assert "to be deleted: 0" in found
    assert PaymentOrder.objects.count() == 2


def test_a_portals_operation_under_a_forgotten_reference_is_still_known_as_ours(
    shop: Shop, switch: Switch
) -> None:
    test, live = shop.pay(), mode(shop.pay(), is_test=False)
    switch("prod")
    assert "Deleted: 1" in forget(yes="1")
    for name, found in ((test.reference, set()), ("GW-PORTAL-1", {"MADE_ELSEWHERE"})):
        portal = record(name, id=f"P-{name}", type="ecom.refund", transactionAmount=10)
        shop.report_and_ask(live, record(live.reference), portal)
        assert kinds(live) == found


def test_before_going_live_the_doctor_counts_the_tests(shop: Shop, switch: Switch) -> None:
    shop.pay()
    shop.pay()
    out = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("wallet_doctor", go_live=True, stdout=out)
    assert "test payments are stored: 2" in out.getvalue()
