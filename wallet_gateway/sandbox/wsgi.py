"""The WSGI application of the sandbox: Django's, which answers a request however its headers are.

Django reads the query while it makes a request whose header names a charset, and nothing answers an error
there. The sandbox reads queries and forms as UTF-8, as browsers send them, and bodies of the interface by
itself, so a charset says nothing to it.
"""

from __future__ import annotations

from typing import Any

from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.utils.http import parse_header_parameters


class SandboxRequest(WSGIRequest):
    """A request whose charset is UTF-8."""

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        """Read the type of the content, as Django does, and leave its charset alone."""
        self.content_type, self.content_params = parse_header_parameters(meta.get("CONTENT_TYPE", ""))


class SandboxApplication(WSGIHandler):
    """Django's handler with the sandbox's requests; Django must be set up."""

    request_class = SandboxRequest
