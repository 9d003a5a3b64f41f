"""In a German admin a refusal is German, on the real pages."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from tests.admin.conftest import PaidOrder, operation_url, ticket_on
from tests.models.rows import a_transaction
from wallet_gateway import payments
from wallet_gateway.admin.refusal_text import refusal_text
from wallet_gateway.domain.error_codes import (
    NOT_BOOKABLE,
    OPERATION_OUTSTANDING,
    PAYMENT_FROZEN,
    SENDING_PAUSED,
    STATE_CHANGED,
    Refusal,
)
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.operations.errors import InvalidState, OperationRefused

pytestmark = pytest.mark.django_db

GERMAN = {"Accept-Language": "de"}
REFUSALS = [PAYMENT_FROZEN, STATE_CHANGED, OPERATION_OUTSTANDING, NOT_BOOKABLE, SENDING_PAUSED]


@pytest.fixture
def order(paid_order: PaidOrder) -> PaymentOrder:
    return paid_order()


def raises(refusal: Refusal) -> Callable[..., object]:
    def refuse(*_args: object, **_given: object) -> object:
        raise OperationRefused(*refusal)

    return refuse


def check_is_german(page: str, refusal: Refusal) -> None:
    with override("de"):
        german = str(OperationRefused(*refusal))
    shown = unescape(page)
    assert german in shown
    assert refusal.sentence not in shown


def test_the_confirm_page_says_each_refusal_in_german(
    operator: Client, order: PaymentOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = operation_url(order, "capture")
    for refusal in REFUSALS:
        monkeypatch.setattr(payments, "capture", raises(refusal))
        data = {"ticket": ticket_on(operator, url), "amount": "5.00", "confirm": "5.00", "reason": "shipped"}
        check_is_german(operator.post(url, data, headers=GERMAN).content.decode(), refusal)


PAGES = {
    "resolve": ("gatewaytransaction_decide", {"decision": "DID_NOT_HAPPEN", "reason": "ticket 7"}),
    "send_again": ("gatewaytransaction_send_again", {"reason": "ticket 7"}),
    "close_discrepancy": ("discrepancy_close", {"reason": "ticket 7"}),
}


@pytest.mark.parametrize("verb", PAGES)
def test_the_pages_of_decisions_say_a_refusal_in_german(
    operator: Client, order: PaymentOrder, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    name, data = PAGES[verb]
    capture = a_transaction(order.payments.get(), kind="CAPTURE", state="NOT_SENT")
    row: GatewayTransaction | Discrepancy = capture
    if verb == "close_discrepancy":
        row = Discrepancy.objects.create(
            kind="MADE_ELSEWHERE", gateway="default", fingerprint="x", found_at=order.created_at
        )
    module = payments.follow_ups if verb == "send_again" else payments.approvals
    monkeypatch.setattr(module, verb, raises(STATE_CHANGED))
    url = reverse(f"admin:wallet_gateway_{name}", args=[row.pk])
    shown = {"ticket": ticket_on(operator, url)} if verb == "resolve" else {}
    answer = operator.post(url, data | shown, headers=GERMAN)
    check_is_german(answer.content.decode(), STATE_CHANGED)


def test_what_is_really_refused_is_said_in_german(operator: Client, order: PaymentOrder) -> None:
    url = reverse("admin:wallet_gateway_gatewaytransaction_decide", args=[order.payments.get().opening.pk])
    data = {"ticket": ticket_on(operator, url), "decision": "DID_NOT_HAPPEN", "reason": "ticket 7"}
    page = unescape(operator.post(url, data, headers=GERMAN).content.decode())
    assert "Eine Transaktion im Zustand „Genehmigt“ braucht keine Entscheidung." in page
    assert "needs no decision" not in page


def test_why_nothing_is_possible_is_said_in_german(operator: Client, order: PaymentOrder) -> None:
    Payment.objects.update(is_frozen=True)
    page = operator.get(reverse("admin:wallet_gateway_paymentorder_change", args=[order.pk]), headers=GERMAN)
    check_is_german(page.content.decode(), PAYMENT_FROZEN)


def test_settings_that_are_missing_are_named_by_their_gateway() -> None:
    error = ImproperlyConfigured("WALLET_GATEWAY has no gateway 'elsewhere'")
    with override("de"):
        said = refusal_text(error, gateway="elsewhere")
    assert "elsewhere" in said
    assert "WALLET_GATEWAY has no" not in said


def test_characters_that_hide_text_are_made_visible() -> None:
    error = InvalidState("It was sent for %(account)s.", account="a\u202eb")
    assert "a\\u202eb" in refusal_text(error, gateway="default")
