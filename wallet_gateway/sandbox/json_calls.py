"""Reading the body of a control call: every value by name and kind, and nothing that has no name here.

A misspelt option would otherwise make a test pass for the wrong reason.

JSON answers of the views: any value, and the error body of a refusal.

What all control calls have in common: methods, input, and how a result or a failure is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Final, TypeVar

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.errors import ProtocolError, excerpt
from wallet_gateway.protocol.strict_json import JsonValue, NumberText, fold_name
from wallet_gateway.sandbox.refusals import BodyTooLarge, InvalidCall, MethodNotAllowed, Refusal
from wallet_gateway.sandbox.server.bodies import MAX_BODY_BYTES

_SECONDS: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,6})?")
_WHOLE: Final = re.compile(r"[0-9]{1,9}")

Value = TypeVar("Value")


class InvalidInput(ValueError):
    """A control call says something the sandbox cannot do; the message names the field."""


class Input:
    """The object a control call carries; null counts as not given. Reading methods raise ``InvalidInput``."""

    def __init__(self, values: Mapping[str, JsonValue]) -> None:
        self._values = {name: value for name, value in values.items() if value is not None}
        self._read: set[str] = set()

    def text(self, name: str, *, max_length: int = 255) -> str:
        """Read a text that must be given."""
        return _required(name, self.optional_text(name, max_length=max_length))

    def optional_text(self, name: str, *, max_length: int = 255) -> str | None:
        """Read a text, which is not empty when given."""
        value = self._get(name)
        if value is None:
            return None
        if not isinstance(value, str) or isinstance(value, NumberText) or not value.strip():
            raise InvalidInput(f"{name} must be a text that is not empty, not {excerpt(value)}.")
        if len(value) > max_length:
            raise InvalidInput(f"{name} has at most {max_length} characters.")
        return value

    def text_or_number(self, name: str) -> str:
        """Read a text or a number, which must be given, as it is written."""
        value = _required(name, self._get(name))
        if isinstance(value, str):
            return str(value)
        raise InvalidInput(f"{name} must be a text or a number, not {excerpt(value)}.")

    def object(self, name: str) -> dict[str, JsonValue]:
        """Read an object, empty when not given; what is in it is checked by whoever uses it."""
        value = self._get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise InvalidInput(f"{name} must be an object, not {excerpt(value)}.")
        return value

    def text_list(self, name: str) -> list[str] | None:
        """Read a list of texts."""
        value = self._get(name)
        if value is None:
            return None
        if not isinstance(value, list):
            raise InvalidInput(f"{name} must be a list of texts, not {excerpt(value)}.")
        if not all(isinstance(one, str) for one in value):
            raise InvalidInput(f"{name} must be a list of texts only.")
        return [str(one) for one in value]

    def choice(self, name: str, words: Iterable[str]) -> str:
        """Read one of some words, which must be given."""
        return _required(name, self.optional_choice(name, words))

    def optional_choice(self, name: str, words: Iterable[str]) -> str | None:
        """Read one of some words, in any letter case."""
        value = self._get(name)
        known = {fold_name(word): str(word) for word in words}
        if value is None:
            return None
        if isinstance(value, str) and fold_name(value) in known:
            return known[fold_name(value)]
        raise InvalidInput(f"{name} must be one of {', '.join(known.values())}, not {excerpt(value)}.")

    def seconds(self, name: str) -> timedelta:
        """Read a number of seconds, which must be given."""
        return _required(name, self.optional_seconds(name))

    def optional_seconds(self, name: str) -> timedelta | None:
        """Read a number of seconds of zero or more, fractions allowed."""
        value = self._get(name)
        if value is None:
            return None
        if not isinstance(value, NumberText) or not _SECONDS.fullmatch(value):
            raise InvalidInput(f"{name} must be a number of seconds, not {excerpt(value)}.")
        return timedelta(microseconds=int(Decimal(value) * 1_000_000))

    def integer(self, name: str, *, minimum: int, maximum: int = 999_999_999) -> int | None:
        """Read a whole number within bounds."""
        value = self._get(name)
        if value is None:
            return None
        if isinstance(value, NumberText) and _WHOLE.fullmatch(value) and minimum <= int(value) <= maximum:
            return int(value)
        raise InvalidInput(
            f"{name} must be a whole number from {minimum} to {maximum}, not {excerpt(value)}."
        )

    def boolean(self, name: str) -> bool | None:
        """Read true or false."""
        value = self._get(name)
        if value is None or isinstance(value, bool):
            return value
        raise InvalidInput(f"{name} must be true or false, not {excerpt(value)}.")

    def check_no_unread_fields(self) -> None:
        """Make sure that nothing was given that nobody read."""
        if unread := sorted(self._values.keys() - self._read):
            known = ", ".join(sorted(self._read))
            raise InvalidInput(
                f"There is no {', '.join(map(excerpt, unread))} here; this call knows {known}."
            )

    def _get(self, name: str) -> JsonValue:
        self._read.add(name)
        return self._values.get(name)


def write_seconds(duration: timedelta) -> NumberText:
    """Write a duration as a number of seconds, the way ``Input.seconds`` reads it."""
    seconds, rest = divmod(duration, timedelta(seconds=1))
    fraction = f"{rest.microseconds:06}".rstrip("0")
    return NumberText(f"{seconds}.{fraction}" if fraction else seconds)


def _required(name: str, value: Value | None) -> Value:
    if value is None:
        raise InvalidInput(f"{name} is missing.")
    return value


def json_response(value: object, *, status: int = 200) -> HttpResponse:
    """Answer with a JSON document."""
    return HttpResponse(strict_json.dumps(value), status=status, content_type="application/json")


def refusal_response(refusal: Refusal) -> HttpResponse:
    """Answer that something is not done, and why."""
    return json_response(refusal.to_wire(), status=refusal.status)


Call = Callable[[HttpRequest], object]
"""Carries one call out and gives a JSON value."""


def call_path(name: str, **by_method: Call) -> URLPattern:
    """Mount the calls of one address, by HTTP method."""

    def view(request: HttpRequest) -> HttpResponse:
        call = by_method.get(request.method or "")
        if call is None:
            allowed = ", ".join(sorted(by_method))
            refusal = MethodNotAllowed(f"{request.path} takes {allowed}, not {request.method}.")
            response = refusal_response(refusal)
            response.headers["Allow"] = allowed
            return response
        return answer(call, request)

    return path(name, view)


def with_json(call: Callable[[Input], object]) -> Call:
    """Give a call the JSON object of the request; nothing at all counts as an empty one."""

    def with_request(request: HttpRequest) -> object:
        return call(_read(request.body))

    return with_request


def answer(call: Call, request: HttpRequest) -> HttpResponse:
    """Carry a call out and write its result, or the reason why there is none, as JSON."""
    try:
        if len(request.body) > MAX_BODY_BYTES:
            raise BodyTooLarge(f"A body has at most {MAX_BODY_BYTES} bytes.")
        return json_response(call(request))
    except Refusal as refusal:
        return refusal_response(refusal)
    except (InvalidInput, ProtocolError) as error:
        return refusal_response(InvalidCall(str(error)))


def _read(body: bytes) -> Input:
    value = strict_json.loads(body) if body.strip() else {}
    if not isinstance(value, dict):
        raise InvalidInput("The body must be a JSON object.")
    return Input(value)
