"""What is answered where no view is: the error body for programs, a plain sentence for people."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from wallet_gateway.protocol.faults import error_body
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.responses import json_response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """Answer a request that cannot be trusted, such as one for another host's name."""
    return _fail(request, 400, "The request names another host than this machine, or a path that is none.")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """Answer a request for an address where nothing is."""
    return _fail(request, 404, f"There is nothing at {quote(request.path)}.")


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer a request the sandbox broke over; its output says where."""
    return _fail(request, 500, "The sandbox itself failed; see its output.")


def _fail(request: HttpRequest, status: int, message: str) -> HttpResponse:
    if request.path_info.startswith(("/api/", "/_sandbox/")):
        body = error_body(f"4{status}000", message).to_wire()
        return json_response(body, status=status)
    return HttpResponse(message, status=status, content_type="text/plain; charset=utf-8")
