"""The view of the page that waits: the token, the call and the shape of the answer, and nothing else."""

from __future__ import annotations

from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from wallet_gateway import payments, return_tokens
from wallet_gateway.api.base import JSONView
from wallet_gateway.api.problems import ExpiredLink, UnknownLink
from wallet_gateway.api.serializers import StatusSerializer
from wallet_gateway.models import Payment
from wallet_gateway.return_tokens import BadReturnToken


class StatusView(JSONView):
    """Where an attempt to pay stands, for the page that waits for it.

    The token is the whole permission, and no session is touched for a poll. There is no throttle, because
    however many pages ask, the gateway is asked no more often than the attempt's own schedule says.
    """

    http_method_names = ("get",)

    def get(self, _request: Request, token: str) -> Response:
        """Answer `{state, final, next}`."""
        try:
            read = return_tokens.read(token)
            attempt = payments.orders.attempt_for(read.reference)
        except (BadReturnToken, Payment.DoesNotExist) as fault:
            raise UnknownLink from fault
        order = payments.reconcile(attempt)
        if read.expired:
            raise ExpiredLink
        next_url = reverse("wallet_gateway:result", args=[token])
        body = {"state": order.state, "final": order.is_final, "next": next_url}
        return Response(StatusSerializer(body).data)
