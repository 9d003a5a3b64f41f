"""JSON answers of the views: any value, and the error body of the interface."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpResponse


def json_response(value: Any, *, status: int = 200) -> HttpResponse:
    """Answer with a JSON document."""
    return HttpResponse(json.dumps(value), status=status, content_type="application/json")


def error_response(status: int, code: str, message: str) -> HttpResponse:
    """Answer with the error body of the interface, section Error response."""
    return json_response({"code": code, "details": {"message": message}}, status=status)
