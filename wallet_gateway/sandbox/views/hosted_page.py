"""The hosted checkout page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse


def show(request: HttpRequest, token: str) -> HttpResponse:
    """Show the checkout page."""
    return HttpResponse(f"Checkout {token}", content_type="text/plain")
