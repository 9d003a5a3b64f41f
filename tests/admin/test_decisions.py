"""A person's decisions: with a reason and a permission, refused in words, done once."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.admin.models import LogEntry
from django.db.models import F
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.admin.conftest import MakePerson, PaidOrder, payment_of, ticket_on
from tests.models.rows import NOW, a_payment, a_transaction
from wallet_gateway import payments
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction, PaymentOrder, TransactionEvent
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


def url_of(transaction: GatewayTransaction, way: str) -> str:
    return reverse(f"admin:wallet_gateway_gatewaytransaction_{way}", args=[transaction.pk])


@pytest.fixture
def order(paid_order: PaidOrder) -> PaymentOrder:
    return paid_order()


@pytest.fixture
def unknown(order: PaymentOrder, wallet_sandbox: SandboxControl) -> GatewayTransaction:
    wallet_sandbox.fault("capture", "status_before", status=500)
    transaction = payments.capture(order, Decimal("5.00"))
    assert transaction.state == TransactionState.UNKNOWN
    return transaction


@pytest.fixture
def unsent(order: PaymentOrder, settings: Settings) -> GatewayTransaction:
    alive = settings.WALLET_GATEWAY
    dead = alive["GATEWAYS"]["default"] | {"BASE_URL": "http://127.0.0.1:9"}
    settings.WALLET_GATEWAY = alive | {"GATEWAYS": {"default": dead}}
    transaction = payments.capture(order, Decimal("5.00"))
    settings.WALLET_GATEWAY = alive
    assert transaction.state == TransactionState.NOT_SENT
    return transaction


DECISION = {"decision": "DID_NOT_HAPPEN", "reason": "ticket 4711"}


def decide(client: Client, transaction: GatewayTransaction, **given: str) -> str:
    """Open the page of a decision and submit it; give what is read next."""
    url = url_of(transaction, "decide")
    data = DECISION | {"ticket": ticket_on(client, url)} | given
    return client.post(url, data, follow=True).content.decode()


def test_an_unknown_outcome_is_given_up_with_name_and_reason(
    operator: Client, unknown: GatewayTransaction
) -> None:
    GatewayTransaction.objects.filter(pk=unknown.pk).update(
        absent_count=5, state_changed_at=F("state_changed_at") - timedelta(days=2)
    )

    page = decide(operator, unknown)

    assert "Capture of €5.00: Abandoned." in page
    decision = TransactionEvent.objects.get(transaction=unknown, kind="DECISION")
    assert (decision.created_by, decision.explanation) == ("anna", "ticket 4711")
    assert payment_of(unknown.payment.order).capture_reserved == 0  # type: ignore[union-attr]
    assert unknown.reference in LogEntry.objects.get().change_message


def test_only_a_contradiction_can_be_said_to_have_happened(
    operator: Client, unknown: GatewayTransaction
) -> None:
    shown = {"state": "ANOMALY", "holds_reservation": False, "shown_minor": 500}
    anomaly = a_transaction(a_payment(authorized=500), **shown)
    bare = a_transaction(a_payment(authorized=500), **shown | {"shown_minor": None})

    never = operator.get(url_of(bare, "decide")).content.decode()
    assert "It did happen" not in never
    assert "has shown no approval with the requested amount and currency" in never
    assert "It did happen" not in operator.get(url_of(unknown, "decide")).content.decode()
    assert "It did happen" in operator.get(url_of(anomaly, "decide")).content.decode()
    page = decide(operator, unknown, decision="DID_HAPPEN")
    assert "Select a valid choice" in page


STALE = "The state has changed. Reload the page."


@pytest.fixture
def contradicted(order: PaymentOrder) -> GatewayTransaction:
    """A contradiction in which one difference was found."""
    transaction = a_transaction(payment_of(order), state="ANOMALY", holds_reservation=False)
    found_in(transaction, DiscrepancyKind.APPROVED_AFTER_END)
    return transaction


def found_in(transaction: GatewayTransaction, kind: DiscrepancyKind) -> Discrepancy:
    return Discrepancy.objects.create(
        kind=kind,
        gateway="default",
        payment=transaction.payment,
        transaction=transaction,
        fingerprint=f"{kind}:{transaction.reference}",
        is_freezing=True,
        found_at=NOW,
    )


def test_a_contradiction_that_was_found_while_the_page_was_open_is_shown_and_not_decided_on(
    operator: Client, unknown: GatewayTransaction
) -> None:
    GatewayTransaction.objects.filter(pk=unknown.pk).update(
        absent_count=5, state_changed_at=F("state_changed_at") - timedelta(days=2)
    )
    ticket = ticket_on(operator, url_of(unknown, "decide"))
    GatewayTransaction.objects.filter(pk=unknown.pk).update(state="ANOMALY", state_changed_at=NOW)
    found_in(unknown, DiscrepancyKind.AMOUNT_DIFFERS)

    page = decide(operator, unknown, ticket=ticket)

    assert STALE in page
    assert "The gateway has recorded another amount than we requested." in page
    assert "take it into our totals on the page of the difference" in page
    assert "It did happen" not in page, "no approval of our amount was shown"
    unknown.refresh_from_db()
    assert unknown.state == TransactionState.ANOMALY
    assert Discrepancy.objects.filter(closed_at=None).count() == 1
    assert "Capture of €5.00: Abandoned." in decide(operator, unknown)


def test_a_difference_that_was_found_while_the_page_was_open_is_not_closed_unseen(
    operator: Client, contradicted: GatewayTransaction
) -> None:
    ticket = ticket_on(operator, url_of(contradicted, "decide"))
    found_in(contradicted, DiscrepancyKind.EXECUTED_TWICE)

    page = decide(operator, contradicted, ticket=ticket)

    assert STALE in page
    assert "The gateway has carried out one request more than once." in page
    contradicted.refresh_from_db()
    assert contradicted.state == TransactionState.ANOMALY
    assert Discrepancy.objects.filter(closed_at=None).count() == 2


@pytest.mark.parametrize("ticket", ["", "forged"])
def test_a_decision_without_the_page_is_none(
    operator: Client, unsent: GatewayTransaction, ticket: str
) -> None:
    assert "too old or was changed" in decide(operator, unsent, ticket=ticket)
    unsent.refresh_from_db()
    assert unsent.state == TransactionState.NOT_SENT


def test_the_page_of_another_transaction_or_person_is_no_ground_for_a_decision(
    operator: Client, make_person: MakePerson, unsent: GatewayTransaction, contradicted: GatewayTransaction
) -> None:
    colleague = make_person("resolve_unknown", name="bert")

    for client, transaction in ((operator, contradicted), (colleague, unsent)):
        ticket = ticket_on(client, url_of(transaction, "decide"))
        assert STALE in decide(operator, unsent, ticket=ticket)


def test_what_never_left_is_sent_once_more(operator: Client, unsent: GatewayTransaction) -> None:
    url = url_of(unsent, "send_again")

    first = operator.post(url, {"reason": "gateway is back"}, follow=True).content.decode()
    second = operator.post(url, {"reason": "gateway is back"}).content.decode()

    assert "Capture of €5.00: Approved." in first
    assert "Only a request that was never sent can be sent again." in second
    assert GatewayTransaction.objects.filter(kind="CAPTURE").count() == 1


@pytest.mark.parametrize("way", ["decide", "send_again"])
def test_without_the_permission_nothing_is_decided(
    onlooker: Client, unsent: GatewayTransaction, way: str
) -> None:
    assert onlooker.get(url_of(unsent, way)).status_code == 403
    assert onlooker.post(url_of(unsent, way), DECISION).status_code == 403
    unsent.refresh_from_db()
    assert unsent.state == TransactionState.NOT_SENT


def a_difference() -> Discrepancy:
    payment = a_payment(authorized=2000)
    return Discrepancy.objects.create(
        kind="MADE_ELSEWHERE", gateway="default", payment=payment, fingerprint="f", found_at=NOW
    )


def test_a_difference_is_closed_once_with_a_reason(operator: Client) -> None:
    difference = a_difference()
    url = reverse("admin:wallet_gateway_discrepancy_close", args=[difference.pk])

    assert (
        "The difference is dismissed." in operator.post(url, {"reason": "seen"}, follow=True).content.decode()
    )
    assert "This difference is already closed." in operator.post(url, {"reason": "seen"}).content.decode()

    difference.refresh_from_db()
    assert (difference.closed_by, difference.reason) == ("anna", "seen")
    assert LogEntry.objects.get().change_message == "Dismissed: seen"
