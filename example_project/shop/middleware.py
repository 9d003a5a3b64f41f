"""Two headers that Django does not send by itself, and the shop's page for an unknown address.

The headers say what scripts may load, and what they may ask for. Django 6 sends the first one. For Django 5.2
it is read from the same setting, `SECURE_CSP`, so that the policy is written once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.defaults import page_not_found

HEADER = "Content-Security-Policy"
# In debug mode, Django answers these with its own pages, which have inline styles.
PAGES_OF_DJANGO = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.INTERNAL_SERVER_ERROR})


def written_policy(directives: Mapping[str, Iterable[str]]) -> str:
    """Return the policy as the header's text."""
    return "; ".join(" ".join([name, *sources]) for name, sources in directives.items())


class ContentSecurityPolicyMiddleware:
    """Adds the policy to every response without one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request with the policy in the header."""
        response = self.get_response(request)
        if settings.DEBUG and response.status_code in PAGES_OF_DJANGO:
            return response
        response.headers.setdefault(HEADER, written_policy(settings.SECURE_CSP))
        return response


class PermissionsPolicyMiddleware:
    """Adds the setting `PERMISSIONS_POLICY` to every response that has no such header."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request with the header."""
        response = self.get_response(request)
        allowed = getattr(settings, "PERMISSIONS_POLICY", "payment=()")
        response.headers.setdefault("Permissions-Policy", allowed)
        return response


class NotFoundPageMiddleware:
    """Shows the shop's page for what is not there in debug mode too, where Django lists all addresses.

    It is for visitors of the demo; the setting `DEBUG_404` brings Django's page back.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request; an address that is not in the URLconf was answered by no view."""
        response = self.get_response(request)
        is_unknown = response.status_code == HTTPStatus.NOT_FOUND and request.resolver_match is None
        return page_not_found(request, Http404()) if is_unknown else response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer for a view that found nothing."""
        return page_not_found(request, exception) if isinstance(exception, Http404) else None
