"""What customers do: order, open the hosted page, decide there, come back, press the wallet button."""

from __future__ import annotations

import json
import urllib.request
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import urlsplit

from django.test import Client
from django.urls import reverse

from proof.chaos.outcomes import DONE, NOTHING_TO_DO, ShopBroke
from proof.chaos.plan import Step
from proof.chaos.shop import Shop
from wallet_gateway import gateways, payments
from wallet_gateway.domain.states import TransactionKind, TransactionState
from wallet_gateway.models import GatewayTransaction, PaymentOrder
from wallet_gateway.testing.control import SandboxRefused

_RETURN_URLS: Final = (
    "return_url",
    "success_url",
    "pending_url",
    "error_url",
    "cancel_url",
    "refused_url",
)
_SESSIONS: Final = ("ada", "grace")
_SECONDS_TO_ANSWER: Final = 10


def create_order(shop: Shop, step: Step) -> str:
    """Order something; a second call of the same gives the same order."""
    story = shop.story(step)
    until = None
    if story.payable_minutes is not None:
        known = shop.order(step)
        # The caller that calls again says the same as before.
        until = known.payable_until if known else shop.clock.now() + timedelta(minutes=story.payable_minutes)
    payments.create_order(
        reference=story.reference,
        currency=story.currency,
        amount=Decimal(story.amount),
        type=story.type,
        gateway=story.gateway,
        payable_until=until,
        cardholder_email=f"customer-{story.number}@example.com",
    )
    return DONE


def open_page(shop: Shop, step: Step) -> str:
    """Go to the hosted page."""
    order = shop.order(step)
    if order is None:
        return NOTHING_TO_DO
    with shop.fault(step.fault, order.gateway):
        payments.start_checkout(order)
    return DONE


def pay(shop: Shop, order: PaymentOrder) -> None:
    """Pay an order on the hosted page, without any fault, for a step that needs a payment."""
    attempt = payments.start_checkout(order)
    shop.control.complete_checkout(attempt.reference, "success", **shop.named(order.gateway))
    payments.reconcile(attempt)


def decide_page(shop: Shop, step: Step) -> str:
    """Decide on a hosted page, and follow its link back to the shop every other time."""
    order = shop.order(step)
    if order is None:
        return NOTHING_TO_DO
    pages = _pages(shop, step)
    if not pages:
        payments.start_checkout(order)
        pages = _pages(shop, step)
    page = pages[-1 - step.which % len(pages)]
    location = shop.control.complete_checkout(page.reference, step.choice, **shop.named(page.gateway))
    if step.is_repeated:
        _visit(urlsplit(location).path)
    return DONE


def _pages(shop: Shop, step: Step) -> list[GatewayTransaction]:
    """Return the hosted pages of an order whose address somebody has."""
    return [
        row for row in shop.transactions(step) if row.kind == TransactionKind.CHECKOUT and row.redirect_url
    ]


def come_back(shop: Shop, step: Step) -> str:
    """Come back by one of the six addresses of an attempt, whatever was decided there."""
    attempts = [row for row in shop.transactions(step) if row.kind == TransactionKind.CHECKOUT]
    if not attempts:
        return NOTHING_TO_DO
    attempt = attempts[step.which % len(attempts)]
    urls = gateways.return_urls(attempt.reference, gateway=attempt.gateway)
    with shop.fault(step.fault, attempt.gateway):
        _visit(urlsplit(str(getattr(urls, _RETURN_URLS[step.which]))).path)
    return DONE


def see_status(shop: Shop, step: Step) -> str:
    """Let the customer's page ask the JSON interface how the payment stands."""
    attempts = shop.transactions(step)
    if not attempts:
        return NOTHING_TO_DO
    attempt = attempts[step.which % len(attempts)]
    urls = gateways.return_urls(attempt.reference, gateway=attempt.gateway)
    token = urlsplit(str(urls.return_url)).path.rstrip("/").rpartition("/")[2]
    _visit(reverse("wallet_gateway:status", args=[token]))
    return DONE


def _visit(path: str) -> None:
    """Open a page of the shop and follow its redirects within the shop."""
    answer = Client(raise_request_exception=True).get(path, follow=True)
    if answer.status_code >= 500:
        raise ShopBroke(f"{path} was answered {answer.status_code}")


def wallet_button(shop: Shop, step: Step) -> str:
    """Pay with a card of the wallet; the result is posted twice where the step says so."""
    order = shop.order(step)
    if order is None:
        return NOTHING_TO_DO
    session = _SESSIONS[step.which % len(_SESSIONS)]
    with shop.fault(step.fault, order.gateway):
        button = payments.wallet.open_session(order, session=session)
        detail = _approve_in_sheet(shop, order, button.parameters, button.reference, step.choice)
        if detail is None:
            return NOTHING_TO_DO
        payments.wallet.pay(order, session=session, detail=detail)
    if step.choice == "twice":
        payments.wallet.pay(order, session=session, detail=detail)
    return DONE


def _approve_in_sheet(
    shop: Shop, order: PaymentOrder, parameters: dict[str, Any], reference: str, method: str
) -> dict[str, Any] | None:
    """Let the browser open the wallet's token at the gateway; None if that fails there."""
    data = shop.control.wallet_payment_data(
        merchant_id=shop.named(order.gateway)["merchant_id"],
        auth_method="CRYPTOGRAM_3DS" if method == "twice" else method,
    )
    body = {
        "merchantId": parameters["mid"],
        "storeId": parameters["sid"],
        "clientSystemTransactionId": reference,
        "paymentData": data,
    }
    request = urllib.request.Request(
        f"{shop.control.base_url}/api/v5/paymentAccounts",
        data=json.dumps(body).encode(),
        headers={
            "Authorization": f"PublicApiKey {parameters['publicKeyApi']}",
            "Content-Type": "application/json",
        },
    )
    with suppress(OSError, ValueError, HTTPException):
        with urllib.request.urlopen(request, timeout=_SECONDS_TO_ANSWER) as answer:
            detail = json.load(answer)
        return detail if isinstance(detail, dict) else None
    return None


def leave_3ds(shop: Shop, step: Step) -> str:
    """Leave the bank's page of a card; without one, press the button with a card that leads there."""
    waiting = _in_state(shop.transactions(step), TransactionState.AWAITING_3DS)
    if not waiting:
        wallet_button(shop, replace(step, choice="PAN_ONLY"))
        waiting = _in_state(shop.transactions(step), TransactionState.AWAITING_3DS)
    for row in waiting:
        with suppress(SandboxRefused):
            shop.control.complete_three_d_secure(row.reference, step.choice, **shop.named(row.gateway))
    return DONE if waiting else NOTHING_TO_DO


def _in_state(rows: list[GatewayTransaction], *states: TransactionState) -> list[GatewayTransaction]:
    return [row for row in rows if row.state in states]
