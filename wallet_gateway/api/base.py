"""The base of all API views: JSON in and out, no caching, and access control."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.contrib.sessions.backends.base import SessionBase
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.utils.crypto import constant_time_compare
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import AllowAny
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from wallet_gateway import access_tokens, conf, fetch_metadata
from wallet_gateway.access_tokens import BadAccessToken
from wallet_gateway.api.cors import is_from_listed_origin
from wallet_gateway.api.inputs import RequestBody
from wallet_gateway.api.problems import Problem, SessionUnreadable, as_answer
from wallet_gateway.api.throttles import SessionThrottle


class JSONView(APIView):
    """Answers JSON to a caller with the token from the address."""

    # Listed one by one, so that a shop's own API defaults do not apply to this one.
    authentication_classes = ()
    permission_classes = (AllowAny,)
    throttle_classes: tuple[type[SessionThrottle], ...] = ()
    renderer_classes = (JSONRenderer,)
    parser_classes = ()
    content_negotiation_class = DefaultContentNegotiation
    versioning_class = None
    metadata_class = None
    # A description of the shop's own API must not include these views: they have a document of their own.
    schema = None

    @property
    def default_response_headers(self) -> dict[str, str]:
        """Keep every answer, problems included, out of caches and referrers: the address has the token."""
        headers: dict[str, str] = super().default_response_headers
        return {**headers, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse what a page of another origin has sent, unless `API_ORIGINS` lists the origin."""
        plain = request._request
        if fetch_metadata.is_from_another_origin(plain) and not is_from_listed_origin(plain):
            raise Problem("cross_site_request")
        super().initial(request, *args, **kwargs)

    def perform_authentication(self, request: Request) -> None:
        """Skip authentication: there is no user here."""

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Response]:
        """Return our own handler, so that problems have our format, whatever the project's API does."""
        return as_answer


class CustomerView(JSONView):
    """Accepts a POST only from the page that the customer has open, or with an access token of the order.

    Checks in this order: a POST; JSON and small; then the access token, or without one the CSRF token and
    the origin (also for guests, whom the REST framework admits) and the session; then what the browser says
    of the request's origin. The throttles count only after that.
    """

    http_method_names = ("post",)
    throttle_classes = (SessionThrottle,)
    binding = ""
    """The value that ties the wallet's attempts to the session or access token; empty without either."""
    has_access_token = False
    """Whether the request came with an access token: then it uses no cookie, and sets none."""
    uses_session = True
    """Whether the session is read at all; without it the CSRF token is enough, as for the form."""
    needs_button = True
    """Whether a button must have been shown in the session."""
    body: RequestBody
    """The JSON from the request."""

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """Read the body before anything can fail."""
        self.body = RequestBody(request)
        return super().initialize_request(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check method, content type, and access token or CSRF and session before the view."""
        if str(request.method).lower() not in self.http_method_names:
            raise Problem("method_not_allowed")
        self.body.check(request._request)
        self.binding = bearer_binding(request._request, kwargs["token"])
        self.has_access_token = bool(self.binding)
        if not self.has_access_token:
            check_csrf(request._request)
            if self.uses_session:
                self.binding = binding_of(request._request)
            if not self.binding and self.needs_button:
                raise Problem("unknown_link")
        super().initial(request, *args, **kwargs)


def check_csrf(request: HttpRequest) -> None:
    """Raise `stale_page`, with the new token, for a request without the token of its browser."""
    # The plain request: Django does not parse it to look for a form's token.
    if fetch_metadata.passes_csrf_check(request):
        return
    # A page of a listed origin can read the answer.
    is_foreign = fetch_metadata.is_from_another_origin(request) or is_from_listed_origin(request)
    raise Problem("stale_page", csrf_token="" if is_foreign else get_token(request))


# Access without cookies. A browser adds cookies to a request by itself, which is why a request with a session
# needs a CSRF token. It never adds the header `Authorization: Bearer`, so a request with it needs neither.


def bearer_binding(request: HttpRequest, order_token: str) -> str:
    """Return the binding of the request's access token for an order; empty if it carries no such token.

    Raises `invalid_token` for one that has expired, was altered, or is another order's.
    """
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    # A shop's own API may send other tokens in this header, to all addresses of the shop.
    if scheme.lower() != "bearer" or not given.startswith(access_tokens.PREFIX):
        return ""
    max_age = timedelta(seconds=conf.settings().access_token_seconds)
    try:
        read = access_tokens.read(given, max_age=max_age)
    except BadAccessToken as fault:
        raise Problem("invalid_token") from fault
    if not constant_time_compare(read, order_token):
        raise Problem("invalid_token")
    return access_tokens.binding_of(read)


# The binding of a wallet payment to one browser


NAME = "wallet_gateway"


def binding_of(request: HttpRequest) -> str:
    """Return the binding of this browser's session; empty if no button was shown in it.

    Raises `SessionUnreadable`, whatever the store of the sessions raised: it may be a cache that is away.
    """
    session = _session(request)
    try:
        return str(session.get(NAME, ""))
    except ImproperlyConfigured:
        raise
    except Exception as fault:
        raise SessionUnreadable from fault


def binding_for(request: HttpRequest) -> str:
    """Return the binding of this browser's session, or the one to give it with `bind`; nothing is stored."""
    if known := binding_of(request):
        return known
    # Derived from the initial session key, so that two tabs at the same moment get the same text.
    seed = _session(request).session_key or secrets.token_urlsafe(32)
    return hashlib.sha256(f"{NAME}:{seed}".encode()).hexdigest()


def bind(request: HttpRequest, binding: str) -> None:
    """Store the binding in this browser's session; a browser that has no session yet gets one."""
    session = _session(request)
    if session.get(NAME) != binding:
        session[NAME] = binding


def _session(request: HttpRequest) -> SessionBase:
    session = getattr(request, "session", None)
    if not isinstance(session, SessionBase):
        raise ImproperlyConfigured("the wallet button needs django.contrib.sessions and its middleware")
    return session
