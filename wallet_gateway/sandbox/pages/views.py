"""Views without a subject of their own: static files, and answers to requests that no view handles.

Errors are the error body of the interface for programs, and one sentence for people.
"""

from __future__ import annotations

from django.contrib.staticfiles.views import serve
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from wallet_gateway.protocol.faults import error_body
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.json_calls import json_response


def static_file(request: HttpRequest, path: str) -> HttpResponseBase:
    """Serve a file with a header against content type sniffing."""
    # Without `insecure`, Django serves static files in DEBUG mode only.
    response = serve(request, path, insecure=True)
    response["X-Content-Type-Options"] = "nosniff"
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """Answer 400 to a request that Django rejects, such as one for another host name."""
    return _fail(request, 400, "The request names another host than this machine, or a path that is none.")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """Answer 404 to a request for an unknown path."""
    return _fail(request, 404, f"There is nothing at {quote(request.path)}.")


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500 after an unexpected error; the traceback is in the sandbox's output."""
    return _fail(request, 500, "The sandbox itself failed; see its output.")


def _fail(request: HttpRequest, status: int, message: str) -> HttpResponse:
    if request.path_info.startswith(("/api/", "/_sandbox/")):
        body = error_body(f"4{status}000", message).to_wire()
        return json_response(body, status=status)
    return HttpResponse(message, status=status, content_type="text/plain; charset=utf-8")
