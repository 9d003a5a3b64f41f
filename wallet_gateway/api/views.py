"""The view for the waiting page: the token, the call and the format of the answer, and nothing else."""

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
    """The status of an attempt to pay, for the page that waits for it.

    The token is the only permission, and a poll does not use the session. There is no throttle, because the
    gateway is queried only as often as the attempt's own schedule allows, however many pages poll.
    """

    http_method_names = ("get",)

    def get(self, _request: Request, token: str) -> Response:
        """Answer `{state, final, next}`."""
        try:
            read = return_tokens.read(token)
            order = payments.orders.reconcile_attempt(read.reference).order
        except (BadReturnToken, Payment.DoesNotExist) as fault:
            raise UnknownLink from fault
        if read.expired:
            raise ExpiredLink
        next_url = reverse("wallet_gateway:result", args=[token])
        body = {"state": order.state, "final": order.is_final, "next": next_url}
        return Response(StatusSerializer(body).data)
