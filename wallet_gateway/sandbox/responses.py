"""JSON answers of the views: any value, and the error body of a refusal."""

from __future__ import annotations

from django.http import HttpResponse

from wallet_gateway.protocol import strict_json
from wallet_gateway.sandbox.engine.refusals import Refusal


def json_response(value: object, *, status: int = 200) -> HttpResponse:
    """Answer with a JSON document."""
    return HttpResponse(strict_json.dumps(value), status=status, content_type="application/json")


def refusal_response(refusal: Refusal) -> HttpResponse:
    """Answer that something is not done, and why."""
    return json_response(refusal.to_wire(), status=refusal.status)
