"""The views of a payment on the gateway's page: open the page, and the status while the customer is there."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from wallet_gateway import gateways, payments, return_tokens
from wallet_gateway.api.base import CustomerView, JSONView, order_of
from wallet_gateway.api.problems import CheckoutUnavailable, ExpiredLink, UnknownLink
from wallet_gateway.api.serializers import StatusSerializer, checkout_body
from wallet_gateway.domain.error_codes import ORDER_NOT_PAYABLE
from wallet_gateway.domain.states import OrderState
from wallet_gateway.models import Payment
from wallet_gateway.payments.errors import OperationError, OrderNotPayable, TryAgain
from wallet_gateway.return_tokens import BadReturnToken


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
            raise UnknownLink(_("There is no such link.")) from fault
        if read.expired:
            raise ExpiredLink
        order = payments.wallet.abandon(attempt).order
        next_url = reverse("wallet_gateway:result", args=[token])
        body = {"state": order.state, "final": order.is_final, "next": next_url}
        if gateways.awaits_missing_gateway(order):
            body |= {"state": OrderState.PENDING, "final": False}
        return Response(StatusSerializer(body).data)


class CheckoutView(CustomerView):
    """Opens the gateway's payment page of an order, for a front end that sends the customer there itself.

    No throttle: a page that is still open is given again, however often it is asked for.
    """

    def session_binding(self, _request: Request) -> str:
        """Admit every browser, without its session: the CSRF token is enough, as for the form."""
        return ""

    def post(self, _request: Request, token: str) -> Response:
        """Answer `{redirectUrl, statusUrl, resultUrl}`."""
        order = order_of(token)
        if gateways.awaits_missing_gateway(order):
            raise OrderNotPayable(*ORDER_NOT_PAYABLE, order=order.reference, state=OrderState.PENDING)
        try:
            return Response(checkout_body(payments.start_checkout(order)))
        except (OrderNotPayable, TryAgain):
            raise
        except OperationError as fault:
            # Its message is in the log, and not for customers: it may name the gateway and the order.
            raise CheckoutUnavailable from fault
