"""CORS for the JSON API: pages of the origins in `API_ORIGINS` may call it and read its answers.

They do so without cookies, by an access token: `Access-Control-Allow-Credentials` is never sent. An origin
is compared as a whole; there is no wildcard. Without the setting nothing here has any effect.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers

from wallet_gateway import conf

View = Callable[..., HttpResponseBase]

PREFLIGHT_SECONDS = 600
"""How long a browser may keep the answer to its question; a changed setting counts after that."""
_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Authorization, Content-Type",
    "Access-Control-Max-Age": str(PREFLIGHT_SECONDS),
    "Cache-Control": "no-store",
}
_READABLE_HEADERS = "Retry-After, WWW-Authenticate"


def is_from_listed_origin(request: HttpRequest) -> bool:
    """Return whether the browser names an origin of `API_ORIGINS` as the one of the page that calls."""
    return request.headers.get("Origin", "") in _origins()


def allow_origins(view: View) -> View:
    """Answer preflights of the listed origins, and let their pages read what the view answers."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not _origins():
            return view(request, *args, **kwargs)
        is_listed = is_from_listed_origin(request)
        is_preflight = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
        if is_listed and is_preflight:
            response: HttpResponseBase = HttpResponse(status=HTTPStatus.NO_CONTENT, headers=_PREFLIGHT)
        else:
            response = view(request, *args, **kwargs)
        if is_listed:
            response.headers["Access-Control-Allow-Origin"] = request.headers["Origin"]
            response.headers["Access-Control-Expose-Headers"] = _READABLE_HEADERS
        patch_vary_headers(response, ["Origin"])
        return response

    return answered


def _origins() -> frozenset[str]:
    try:
        return frozenset(conf.settings().api_origins)
    except ImproperlyConfigured:
        # The view says so, in the format of its problems.
        return frozenset()
