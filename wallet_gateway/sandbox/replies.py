"""JSON answers of the views: any value, and the error body of the interface."""

from __future__ import annotations

from django.http import HttpResponse

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.faults import error_body


def json_response(value: object, *, status: int = 200) -> HttpResponse:
    """Answer with a JSON document."""
    return HttpResponse(strict_json.dumps(value), status=status, content_type="application/json")


def error_response(status: int, code: str, message: str) -> HttpResponse:
    """Answer with the error body of the interface, section Error response."""
    return json_response(error_body(code, message).to_wire(), status=status)
