"""The WSGI application of the sandbox: Django's, which answers a request however its headers are.

Django reads the query while it makes a request whose header names a charset, and nothing answers an error
there. The sandbox reads queries and forms as UTF-8, as browsers send them, and bodies of the interface by
itself, so a charset says nothing to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http import HttpResponseBase
from django.utils.http import parse_header_parameters

from wallet_gateway.sandbox.public_url import read_public_url

if TYPE_CHECKING:
    from wsgiref.types import StartResponse


class SandboxRequest(WSGIRequest):
    """A request whose charset is UTF-8."""

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        """Read the type of the content, as Django does, and leave its charset alone."""
        self.content_type, self.content_params = parse_header_parameters(meta.get("CONTENT_TYPE", ""))


class SandboxApplication(WSGIHandler):
    """Django's handler with the sandbox's requests; Django must be set up."""

    request_class = SandboxRequest

    def __init__(self) -> None:
        super().__init__()
        public_url = settings.WALLET_SANDBOX_PUBLIC_URL
        self._public_url = read_public_url(public_url) if public_url else None

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> HttpResponseBase:
        """Answer a request; behind a proxy, under the address that browsers know."""
        if url := self._public_url:
            # As if this process stood at the address itself.
            environ = {**environ, "wsgi.url_scheme": url.scheme, "HTTP_HOST": url.netloc}
        return super().__call__(environ, start_response)
