"""The views of the wallet button's page: a session, a price, another card's reference, the result, reports.

Amount, currency and merchant are never read here: the order's row has them.
"""

from __future__ import annotations

from django.utils.decorators import method_decorator
from django.utils.translation import get_language
from django.views.decorators.debug import sensitive_variables
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from wallet_gateway import payments
from wallet_gateway.api.base import CustomerView, order_of
from wallet_gateway.api.inputs import event_report, price_question, reference_before
from wallet_gateway.api.serializers import price_body, session_body, verdict_body
from wallet_gateway.api.sessions import bind, binding_of
from wallet_gateway.api.throttles import (
    EventsThrottle,
    PricesThrottle,
    ReferencesThrottle,
    ResultsThrottle,
    SessionsThrottle,
)


class WalletSessionView(CustomerView):
    """Opens a wallet session for an order, and binds it to the browser that asks."""

    throttle_classes = (SessionsThrottle,)

    def bound(self, request: Request) -> str:
        """Let a browser in that has seen no button yet."""
        return binding_of(request._request)

    def post(self, request: Request, token: str) -> Response:
        """Answer with what `runWalletPay` is called with."""
        order = order_of(token)
        session = payments.wallet.open_session(
            order, session=bind(request._request), language=get_language() or ""
        )
        return Response(session_body(session))


class WalletReferenceView(CustomerView):
    """Gives the reference for another card in a sheet that is open."""

    throttle_classes = (ReferencesThrottle,)

    def post(self, request: Request, token: str) -> Response:
        """Answer `{reference}`, for the sheet that had the reference `after` before."""
        after = reference_before(self.body(request))
        reference = payments.wallet.next_reference(order_of(token), session=self.binding, after=after)
        return Response({"reference": reference})


class WalletPriceView(CustomerView):
    """Prices the sheet under what the customer chose on it."""

    throttle_classes = (PricesThrottle,)

    def post(self, request: Request, token: str) -> Response:
        """Answer with the total, its lines and the choices, or with what is wrong about the choices."""
        asked = price_question(self.body(request))
        price = payments.wallet.price_sheet(
            order_of(token),
            reference=asked.reference,
            session=self.binding,
            shipping_address=asked.shipping_address,
            shipping_option=asked.shipping_option,
            offers=asked.offers,
        )
        return Response(price_body(price))


class WalletEventView(CustomerView):
    """Keeps what the page says of its button and sheet, for the order's timeline."""

    throttle_classes = (EventsThrottle,)

    def post(self, request: Request, token: str) -> Response:
        """Answer with nothing: whatever comes of it, the page goes on."""
        report = event_report(self.body(request))
        payments.wallet.note_event(
            order_of(token),
            reference=report.reference,
            session=self.binding,
            event=report.event,
            message=report.message,
        )
        return Response(status=status.HTTP_204_NO_CONTENT)


@method_decorator(sensitive_variables(), name="dispatch")
class WalletResultView(CustomerView):
    """Takes what the wallet handed over, `event.detail` as it is, and has it paid with."""

    throttle_classes = (ResultsThrottle,)

    def post(self, request: Request, token: str) -> Response:
        """Answer `{outcome, message, next}`."""
        # The token and not the order: the operation reads it with all its attempts at once.
        payment = payments.wallet.pay(token, session=self.binding, detail=self.body(request))
        return Response(verdict_body(payment))
