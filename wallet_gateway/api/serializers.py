"""The JSON bodies of the API's answers."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from wallet_gateway import gateways, payments, return_tokens
from wallet_gateway.formats import format_money
from wallet_gateway.models import Payment
from wallet_gateway.payments.wallet import SheetPrice, WalletOutcome, WalletSession
from wallet_gateway.protocol.money import Money
from wallet_gateway.return_tokens import ReturnOutcome


def addresses(reference: str) -> dict[str, str]:
    """Return where an attempt's status and result are, for a page that does not have the shop's answer."""
    return {f"{name}Url": _address(name, reference, ReturnOutcome.RETURN) for name in ("status", "result")}


def session_body(session: WalletSession, *, gateway: str) -> dict[str, Any]:
    """Return a wallet session: `{reference, parameters, script, statusUrl, resultUrl, expiresIn}`.

    A page that has lost the shop's answer uses the two addresses, each of which closes an attempt that still
    waits for its result; `expiresIn` is in seconds, because the customer's clock may be wrong.
    """
    left = session.expires_at - gateways.clock().now()
    return {
        "reference": session.reference,
        "parameters": session.parameters,
        "script": gateways.wallet_script_settings(gateway),
        **addresses(session.reference),
        "expiresIn": max(int(left.total_seconds()), 0),
    }


def price_body(price: SheetPrice) -> dict[str, Any]:
    """Return the price for the sheet; amounts are text in major units, `amountText` is for people."""
    return {
        "total": price.total.to_wire(),
        "displayItems": [
            {"label": label, "type": kind, "price": amount} for label, kind, amount in price.display_items
        ],
        "shippingOptions": [
            {
                "id": one.id,
                "label": one.label,
                "description": one.description,
                "amount": f"{one.amount:f}",
                "amountText": format_money(Money(one.amount, price.total.currency)),
            }
            for one in price.options
        ],
        "selectedOption": price.selected_option,
        "offers": [{"redemptionCode": code, "description": label} for code, label in price.offers],
        "errors": [
            {"intent": fault.intent, "reason": fault.reason, "message": fault.message}
            for fault in price.errors
        ],
    }


def outcome_body(payment: Payment) -> dict[str, str]:
    """Return the outcome of a result: `{outcome, message, next}`; an empty `next` means to stay."""
    outcome, next_url = payments.wallet.outcome(payment), ""
    match outcome:
        case WalletOutcome.APPROVED:
            message = _("Your payment went through")
            next_url = _address("result", payment.reference, ReturnOutcome.SUCCESS)
        case WalletOutcome.DECLINED:
            message = _("Your card was declined. Nothing was charged. You can try another card.")
        case WalletOutcome.CHECKING:
            message = _("We are checking your payment")
            next_url = _address("result", payment.reference, ReturnOutcome.PENDING)
        case WalletOutcome.THREE_D_SECURE:
            message = _("Your bank wants to confirm this payment. One moment, please.")
            next_url = payment.redirect_url
        case WalletOutcome.TRY_AGAIN:
            message = _("Nothing was charged. Try again.")
    return {"outcome": outcome.value, "message": message, "next": next_url}


def _address(name: str, reference: str, outcome: ReturnOutcome) -> str:
    return reverse(f"wallet_gateway:{name}", args=[return_tokens.sign(reference, outcome)])
