"""The sandbox's own style sheets, scripts and drawings: it has no web server before it to hand them out."""

from __future__ import annotations

from django.contrib.staticfiles.views import serve
from django.http import HttpRequest, HttpResponseBase


def static_file(request: HttpRequest, path: str) -> HttpResponseBase:
    """Send a file, and forbid browsers to take it for another kind than its header says."""
    # Django serves static files under DEBUG only, unless it is told that this is meant.
    response = serve(request, path, insecure=True)
    response["X-Content-Type-Options"] = "nosniff"
    return response
