"""Request bodies of the JSON API: at most 16 kB, in UTF-8, read only by the strict parser."""

from __future__ import annotations

from typing import IO, Any

from django.http import HttpRequest
from django.http.request import UnreadablePostError
from rest_framework.exceptions import ParseError, UnsupportedMediaType

from wallet_gateway.api.problems import TooLarge
from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.errors import UnreadableBody

MAX_BYTES = 16_384
JSON = "application/json"
_UTF_8 = {"utf-8", "utf8"}


def refuse_foreign_content(request: HttpRequest) -> None:
    """Check that a body is declared as JSON in UTF-8 and is not too large, without reading it.

    No form can send this type, and a script of another site needs the browser's permission first, which it
    does not get. Raises `UnsupportedMediaType` and `TooLarge`.
    """
    charset = (request.content_params or {}).get("charset", "utf-8")
    if request.content_type != JSON or charset.lower() not in _UTF_8:
        raise UnsupportedMediaType("")
    # The server has checked the header; a value that is not a number counts as 0.
    length = str(request.META.get("CONTENT_LENGTH") or "0")
    announced = int(length) if length.isascii() and length.isdigit() and len(length) < 20 else 0
    if announced > MAX_BYTES:
        raise TooLarge


class RequestBody:
    """The body of a request, read at once and at most 16 kB of it; nothing but `value` shows what it says.

    Once a view has read a body, Django gives it to no other reader. A collector of errors would read any
    other body, and report each customer's data whenever something fails, the session's row or a throttle
    included. For the same reason the REST framework's own `request.data` stays empty.
    """

    __slots__ = ("_body",)

    def __init__(self, stream: HttpRequest | IO[bytes]) -> None:
        self._body: bytes | None
        try:
            self._body = stream.read(MAX_BYTES + 1)
        except UnreadablePostError:
            self._body = None

    def value(self) -> dict[str, Any]:
        """Return the JSON object, without fields if there is no body; raises `ParseError` and `TooLarge`.

        It is read as `protocol.strict_json` does: no duplicates, no NaN, limited nesting.
        """
        if self._body is None:
            raise ParseError
        if len(self._body) > MAX_BYTES:
            raise TooLarge
        if not self._body:
            return {}
        try:
            value = strict_json.loads(self._body, max_bytes=MAX_BYTES)
        except UnreadableBody as fault:
            # Its message may quote the body, which may contain secrets.
            raise ParseError from fault
        if not isinstance(value, dict):
            raise ParseError
        return value
