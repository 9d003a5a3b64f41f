"""JSON calls of the sandbox's own interfaces: read and check the input, write the result or the error.

Unknown names are errors, because with a misspelt option a test would pass for the wrong reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final, TypeVar

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.strict_json import JsonValue, NumberText, fold_name
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.server import MAX_BODY_BYTES

_AMOUNT: Final = re.compile(r"-?(0|[1-9][0-9]{0,13})(\.[0-9]{1,6})?")
_SECONDS: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,6})?")
_WHOLE: Final = re.compile(r"[0-9]{1,9}")

Value = TypeVar("Value")


class InvalidInput(ValueError):
    """The input of a call is invalid; the message names the field."""


class Input:
    """The JSON object of a call; null counts as absent, unless a method says otherwise.

    All reading methods raise ``InvalidInput``.
    """

    def __init__(self, values: Mapping[str, JsonValue]) -> None:
        self._values = {name: value for name, value in values.items() if value is not None}
        self._null = values.keys() - self._values.keys()
        self._read: set[str] = set()

    def text(self, name: str, *, max_length: int = 255) -> str:
        """Read a required text."""
        return _required(name, self.optional_text(name, max_length=max_length))

    def optional_text(self, name: str, *, max_length: int = 255) -> str | None:
        """Read an optional text, which must not be empty."""
        value = self._get(name)
        return None if value is None else _text(name, value, max_length=max_length)

    def text_or_number(self, name: str) -> str:
        """Read a required text or number as written."""
        return str(_required(name, self._optional(name, str, "a text or a number")))

    def object(self, name: str) -> dict[str, JsonValue]:
        """Read an optional object, empty by default; the caller checks its content."""
        return self._optional(name, dict, "an object") or {}

    def text_list(self, name: str) -> list[str] | None:
        """Read an optional list of texts."""
        values = self._optional(name, list, "a list of texts")
        if values is None:
            return None
        if not all(isinstance(one, str) for one in values):
            raise InvalidInput(f"{name} must be a list of texts only.")
        return [str(one) for one in values]

    def text_map(self, name: str, *, max_length: int) -> dict[str, str] | None:
        """Read an optional object of texts."""
        values = self._optional(name, dict, "an object of texts")
        for key, part in (values or {}).items():
            _text(f"{name}.{key}", part, max_length=max_length)
        return values

    def amount_or_word(self, name: str, *, words: Iterable[str], null: str) -> str | None:
        """Read an optional amount, as a number or as text, or one of some words; a null means that word."""
        value = self._get(name)
        if value is None:
            return null if name in self._null else None
        if isinstance(value, str) and (value in words or _AMOUNT.fullmatch(value)):
            return str(value)
        raise _wrong(name, f"{', '.join(words)}, or an amount such as 0 or 12.50", value)

    def choice(self, name: str, words: Iterable[str]) -> str:
        """Read a required value of a set of words."""
        return _required(name, self.optional_choice(name, words))

    def optional_choice(self, name: str, words: Iterable[str]) -> str | None:
        """Read an optional value of a set of words, in any letter case."""
        value = self._get(name)
        known = {fold_name(word): str(word) for word in words}
        if value is None:
            return None
        if not isinstance(value, str) or fold_name(value) not in known:
            raise _wrong(name, f"one of {', '.join(known.values())}", value)
        return known[fold_name(value)]

    def seconds(self, name: str) -> timedelta:
        """Read a required number of seconds."""
        return _required(name, self.optional_seconds(name))

    def optional_seconds(self, name: str) -> timedelta | None:
        """Read an optional number of seconds, zero or more, with optional fractions."""
        value = self._get(name)
        if value is None:
            return None
        if not isinstance(value, NumberText) or not _SECONDS.fullmatch(value):
            raise _wrong(name, "a number of seconds", value)
        return timedelta(microseconds=int(Decimal(value) * 1_000_000))

    def time(self, name: str) -> datetime:
        """Read a required time in ISO 8601; without an offset it is UTC."""
        text = self.text(name)
        try:
            time = datetime.fromisoformat(text)
            return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            raise _wrong(name, "a time such as 2030-01-31T09:30:00Z", text) from None

    def integer(self, name: str, *, minimum: int, maximum: int = 999_999_999) -> int | None:
        """Read an optional integer within bounds."""
        value = self._get(name)
        if value is None:
            return None
        if isinstance(value, NumberText) and _WHOLE.fullmatch(value) and minimum <= int(value) <= maximum:
            return int(value)
        raise _wrong(name, f"a whole number from {minimum} to {maximum}", value)

    def boolean(self, name: str) -> bool | None:
        """Read an optional boolean."""
        return self._optional(name, bool, "true or false")

    def check_no_unread_fields(self) -> None:
        """Check that the object has no names other than those that were read."""
        if unread := sorted(self._values.keys() - self._read):
            known = ", ".join(sorted(self._read))
            raise InvalidInput(f"There is no {', '.join(map(quote, unread))} here; this call knows {known}.")

    def _optional(self, name: str, kind: type[Value], right: str) -> Value | None:
        value = self._get(name)
        if value is not None and not isinstance(value, kind):
            raise _wrong(name, right, value)
        return value

    def _get(self, name: str) -> JsonValue:
        self._read.add(name)
        return self._values.get(name)


def _text(name: str, value: JsonValue, *, max_length: int) -> str:
    if not isinstance(value, str) or isinstance(value, NumberText) or not value.strip():
        raise _wrong(name, "a text that is not empty", value)
    if len(value) > max_length:
        raise InvalidInput(f"{name} has at most {max_length} characters.")
    return value


def _wrong(name: str, right: str, value: object) -> InvalidInput:
    return InvalidInput(f"{name} must be {right}, not {quote(value)}.")


def write_seconds(duration: timedelta) -> NumberText:
    """Return a duration as a number of seconds, in the form that ``Input.seconds`` reads."""
    seconds, rest = divmod(duration, timedelta(seconds=1))
    fraction = f"{rest.microseconds:06}".rstrip("0")
    return NumberText(f"{seconds}.{fraction}" if fraction else seconds)


def _required(name: str, value: Value | None) -> Value:
    if value is None:
        raise InvalidInput(f"{name} is missing.")
    return value


def json_response(value: object, *, status: int = 200) -> HttpResponse:
    """Return a response with a JSON document."""
    return HttpResponse(strict_json.dumps(value), status=status, content_type="application/json")


def refusal_response(refusal: Refusal) -> HttpResponse:
    """Return a response with the error body of a refusal."""
    return json_response(refusal.to_wire(), status=refusal.status)


Call = Callable[[HttpRequest], object]
"""Executes a call and returns a JSON value."""


def call_path(name: str, **by_method: Call) -> URLPattern:
    """Return the URL pattern of one address, with one call per HTTP method."""

    def view(request: HttpRequest) -> HttpResponse:
        call = by_method.get(request.method or "")
        if call is None:
            allowed = ", ".join(sorted(by_method))
            refusal = Refusal("MethodNotAllowed", f"{request.path} takes {allowed}, not {request.method}.")
            response = refusal_response(refusal)
            response.headers["Allow"] = allowed
            return response
        return answer(call, request)

    return path(name, view)


def with_json(call: Callable[[Input], object]) -> Call:
    """Wrap a call that takes the request's JSON object; an empty body counts as an empty object."""
    return lambda request: call(_read(request.body))


def answer(call: Call, request: HttpRequest) -> HttpResponse:
    """Execute a call and return its result or its error as JSON."""
    try:
        if len(request.body) > MAX_BODY_BYTES:
            raise Refusal("BodyTooLarge", f"A body has at most {MAX_BODY_BYTES} bytes.")
        return json_response(call(request))
    except Refusal as refusal:
        return refusal_response(refusal)
    except (InvalidInput, ProtocolError) as error:
        return refusal_response(Refusal("InvalidCall", str(error)))


def _read(body: bytes) -> Input:
    value = strict_json.loads(body) if body.strip() else {}
    if not isinstance(value, dict):
        raise InvalidInput("The body must be a JSON object.")
    return Input(value)
