"""The views of a payment on the gateway's page, and of the wallet button's page.

Amount, currency and merchant are never read here: they come from the order's row.
"""

from __future__ import annotations

from dataclasses import asdict

from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from pydantic import Secret
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from wallet_gateway import gateways, payments, return_tokens
from wallet_gateway.api.base import CustomerView, JSONView, bind, binding_for
from wallet_gateway.api.inputs import event_report, previous_reference, price_request
from wallet_gateway.api.problems import Problem
from wallet_gateway.domain.error_codes import ORDER_NOT_PAYABLE
from wallet_gateway.domain.states import OrderState
from wallet_gateway.formats import format_money
from wallet_gateway.models import Payment
from wallet_gateway.payments.errors import OperationError, OrderNotPayable, TryAgain
from wallet_gateway.payments.orders import get_order_by_token
from wallet_gateway.payments.wallet import WalletOutcome
from wallet_gateway.protocol.money import Money
from wallet_gateway.return_tokens import BadReturnToken, ReturnOutcome


class StatusView(JSONView):
    """The status of an attempt to pay, for the page that waits for it.

    The token is the only permission, and a poll does not use the session. There is no throttle, because the
    gateway is queried only as often as the attempt's own schedule allows, however many pages poll. A page
    asks about its wallet button only if the answer to its result was lost: one that still waits is closed.
    """

    http_method_names = ("get",)

    def get(self, _request: Request, token: str) -> Response:
        """Answer `{state, final, next}`."""
        try:
            read = return_tokens.read(token)
            attempt = payments.orders.reconcile_attempt(read.reference)
        except (BadReturnToken, Payment.DoesNotExist) as fault:
            # The link may be cut off, and its payment made.
            raise Problem("unknown_link", _("There is no such link.")) from fault
        if read.expired:
            raise Problem("expired_link")
        order = payments.wallet.abandon(attempt).order
        next_url = reverse("wallet_gateway:result", args=[token])
        body = {"state": order.state, "final": order.is_final, "next": next_url}
        if gateways.awaits_missing_gateway(order):
            body |= {"state": OrderState.PENDING, "final": False}
        return Response(body)


class CheckoutView(CustomerView):
    """Opens the gateway's payment page of an order, for a front end that sends the customer there itself.

    No throttle: a page that is still open is given again, however often it is asked for.
    """

    uses_session = needs_button = False

    def post(self, _request: Request, token: str) -> Response:
        """Answer `{redirectUrl, statusUrl, resultUrl}`."""
        order = get_order_by_token(token)
        if gateways.awaits_missing_gateway(order):
            raise OrderNotPayable(*ORDER_NOT_PAYABLE, order=order.reference, state=OrderState.PENDING)
        try:
            payment = payments.start_checkout(order)
        except (OrderNotPayable, TryAgain):
            raise
        except OperationError as fault:
            # Its message is in the log, and not for customers: it may name the gateway and the order.
            raise Problem("checkout_unavailable") from fault
        return Response({"redirectUrl": payment.redirect_url, **_addresses(payment.reference)})


class WalletSessionView(CustomerView):
    """Opens a wallet session for an order, and binds it to the requesting browser."""

    throttle_scope = "session"
    needs_button = False

    def post(self, request: Request, token: str) -> Response:
        """Answer `{reference, parameters, script, statusUrl, resultUrl, expiresIn}`.

        A page that has lost the shop's answer uses the two addresses, each of which closes an attempt that
        still waits for its result; `expiresIn` is in seconds, because the customer's clock may be wrong.
        """
        order = get_order_by_token(token)
        binding = self.binding if self.has_access_token else binding_for(request._request)
        session = payments.wallet.open_session(order, session=binding, language=get_language() or "")
        if not self.has_access_token:
            # Only now: a button that is not shown must not cost the row of a session.
            bind(request._request, binding)
        left = session.expires_at - gateways.clock().now()
        body = {
            "reference": session.reference,
            "parameters": session.parameters,
            "script": gateways.wallet_script_settings(order.gateway),
            **_addresses(session.reference),
            "expiresIn": max(int(left.total_seconds()), 0),
        }
        return Response(body)


class WalletReferenceView(CustomerView):
    """Returns the reference for another card in an open sheet."""

    throttle_scope = "reference"

    def post(self, _request: Request, token: str) -> Response:
        """Answer `{reference, statusUrl, resultUrl}`, for the sheet whose previous reference was `after`."""
        after = previous_reference(self.body.value())
        order = get_order_by_token(token)
        reference = payments.wallet.next_reference(order, session=self.binding, after=after)
        return Response({"reference": reference, **_addresses(reference)})


class WalletPriceView(CustomerView):
    """Returns the price for the customer's choices on the sheet."""

    throttle_scope = "price"

    def post(self, _request: Request, token: str) -> Response:
        """Answer with the total, its lines and the choices, or with the errors in the choices.

        Amounts are text in major units, and `amountText` is for people.
        """
        wanted = price_request(self.body.value())
        price = payments.wallet.price_sheet(get_order_by_token(token), session=self.binding, **wanted)
        body = {
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
            "errors": [asdict(fault) for fault in price.errors],
        }
        return Response(body)


class WalletEventView(CustomerView):
    """Stores the page's events of its button and sheet, for the order's timeline."""

    throttle_scope = "event"

    def post(self, _request: Request, token: str) -> Response:
        """Answer without content, or `{newSession: true}` if the page's button cannot pay any more."""
        report = event_report(self.body.value())
        order = get_order_by_token(token)
        if payments.wallet.record_event(order, session=self.binding, **report):
            return Response({"newSession": True})
        return Response(status=status.HTTP_204_NO_CONTENT)


class WalletResultView(CustomerView):
    """Takes the wallet's result, `event.detail` unchanged, and pays with it."""

    throttle_scope = "result"

    def post(self, _request: Request, token: str) -> Response:
        """Answer `{outcome, message, next}`; an empty `next` means to stay."""
        # Pass the token, not the order: the operation reads the order with all its attempts at once.
        payment = payments.wallet.pay(token, session=self.binding, detail=Secret(self.body.value()))
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
        return Response({"outcome": outcome.value, "message": message, "next": next_url})


def _addresses(reference: str) -> dict[str, str]:
    """Return where an attempt's status and result are, for a page that does not have the shop's answer."""
    return {f"{name}Url": _address(name, reference, ReturnOutcome.RETURN) for name in ("status", "result")}


def _address(name: str, reference: str, outcome: ReturnOutcome) -> str:
    return reverse(f"wallet_gateway:{name}", args=[return_tokens.sign(reference, outcome)])
