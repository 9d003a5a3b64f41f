"""The views of the JSON door: the token, the call and the shape of the answer, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.urls import reverse
from rest_framework.permissions import AllowAny
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from wallet_gateway import payments, return_tokens
from wallet_gateway.api.problems import ExpiredLink, UnknownLink, as_problem
from wallet_gateway.api.serializers import StatusSerializer
from wallet_gateway.models import Payment
from wallet_gateway.return_tokens import BadReturnToken


class StatusView(APIView):
    """Where an attempt to pay stands, for the page that waits for it.

    The token is the whole permission. There is no throttle, because however many pages ask, the gateway is
    asked no more often than the attempt's own schedule says.
    """

    http_method_names = ("get",)

    # Named one by one, so that a shop's own defaults for its API do not reach this one.
    authentication_classes = ()
    permission_classes = (AllowAny,)
    throttle_classes = ()
    renderer_classes = (JSONRenderer,)
    parser_classes = ()
    versioning_class = None
    metadata_class = None

    @property
    def default_response_headers(self) -> dict[str, str]:
        """Keep every answer out of caches and referrers, problems included: the address has the token."""
        headers: dict[str, str] = super().default_response_headers
        return {**headers, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}

    def perform_authentication(self, request: Request) -> None:
        """Ask nobody who they are: there is no user here, and a session must not be touched for a poll."""

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Response | None]:
        """Answer problems in our shape, whatever the project's API does."""
        return as_problem

    def get(self, _request: Request, token: str) -> Response:
        """Answer `{state, final, next}`."""
        try:
            read = return_tokens.read(token)
            attempt = payments.attempt_for(read.reference)
        except (BadReturnToken, Payment.DoesNotExist) as fault:
            raise UnknownLink from fault
        order = payments.reconcile(attempt)
        if read.expired:
            raise ExpiredLink
        next_url = reverse("wallet_gateway:result", args=[token])
        body = {"state": order.state, "final": order.is_final, "next": next_url}
        return Response(StatusSerializer(body).data)
