"""The console."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

console_urls: list[URLPattern] = []


def index(request: HttpRequest) -> HttpResponse:
    """Show the console."""
    return HttpResponse("Sandbox gateway", content_type="text/plain")
