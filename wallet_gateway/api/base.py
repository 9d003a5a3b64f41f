"""What all views of the JSON door have in common: JSON in and out, nothing kept, and who may ask at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rest_framework.authentication import SessionAuthentication
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import AllowAny
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from wallet_gateway import payments
from wallet_gateway.api.parsers import StrictParser, refuse_foreign_content
from wallet_gateway.api.problems import UnknownLink, as_answer
from wallet_gateway.api.sessions import binding_of
from wallet_gateway.models import PaymentOrder


class JSONView(APIView):
    """Answers JSON to whoever holds the token in the address."""

    # Named one by one, so that a shop's own defaults for its API do not reach this one.
    authentication_classes = ()
    permission_classes = (AllowAny,)
    throttle_classes: tuple[type[BaseThrottle], ...] = ()
    renderer_classes = (JSONRenderer,)
    parser_classes: tuple[type[StrictParser], ...] = ()
    content_negotiation_class = DefaultContentNegotiation
    versioning_class = None
    metadata_class = None
    # Our own pages are the only callers: nothing here belongs into the description of a shop's API.
    schema = None

    @property
    def default_response_headers(self) -> dict[str, str]:
        """Keep every answer out of caches and referrers, problems included: the address has the token."""
        headers: dict[str, str] = super().default_response_headers
        return {**headers, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}

    def perform_authentication(self, request: Request) -> None:
        """Ask nobody who they are: there is no user here."""

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Response]:
        """Answer problems in our shape, whatever the project's API does."""
        return as_answer


class CustomerView(JSONView):
    """Takes a POST from the page that the customer has open, and from nobody else.

    In this order: JSON and small, then the CSRF token and the origin (also of guests, whom the REST framework
    lets pass), then the session, and only then the throttles count.
    """

    http_method_names = ("post",)
    parser_classes = (StrictParser,)
    binding = ""
    """What ties the wallet's attempts to the session; empty while there is none."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Let nobody further who is not the customer's page."""
        refuse_foreign_content(request._request)
        # The plain request: of that one nothing is parsed to look for a form's token.
        SessionAuthentication().enforce_csrf(request._request)  # type: ignore[arg-type]
        self.binding = self.bound(request)
        super().initial(request, *args, **kwargs)

    def body(self, request: Request) -> dict[str, Any]:
        """Return the object that was sent."""
        # A request without one byte is not given to the parser at all.
        return request.data if isinstance(request.data, dict) else {}

    def bound(self, request: Request) -> str:
        """Return the session's binding; raises `UnknownLink` where no button was ever shown in it."""
        binding = binding_of(request._request)
        if not binding:
            raise UnknownLink
        return binding


def order_of(token: str) -> PaymentOrder:
    """Return the order of an address; raises `UnknownLink`."""
    try:
        return payments.orders.get_order_by_token(token)
    except PaymentOrder.DoesNotExist as fault:
        raise UnknownLink from fault
