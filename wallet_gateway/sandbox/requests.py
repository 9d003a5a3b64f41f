"""Parse an HTTP request into an operation and a message, or into the refusal it will be answered with.

The operation is determined even if the message is invalid, so that the journal can name it and a fault can
hit it. Fields that the interface does not define are ignored and reported for the console.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any, Final, TypeAlias, get_args
from urllib.parse import parse_qsl

from wallet_gateway.protocol import endpoints, strict_json
from wallet_gateway.protocol.accounts import (
    TOKEN_PATH,
    PaymentAccountQuery,
    PaymentAccountRequest,
    PublicKeyRequest,
)
from wallet_gateway.protocol.authorizations import AuthorizationRequest
from wallet_gateway.protocol.checkout import CheckoutRequest
from wallet_gateway.protocol.errors import InvalidMessage, UnreadableBody, join_path
from wallet_gateway.protocol.follow_ups import DetachedRefundRequest, FollowUpRequest
from wallet_gateway.protocol.status import StatusQuery
from wallet_gateway.protocol.strict_json import JsonValue, fold_name
from wallet_gateway.protocol.text import quote
from wallet_gateway.protocol.wire import MISSING, WireModel
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.server import MAX_BODY_BYTES


class Operation(StrEnum):
    """The operations of the service, as faults and the journal name them."""

    CHECKOUT = "checkout"
    CAPTURE = "capture"
    REFUND = "refund"
    REVERSAL = "reversal"
    DETACHED_REFUND = "detached_refund"
    STATUS = "status"
    PUBLIC_KEY = "public_key"
    CREATE_PAYMENT_ACCOUNT = "create_payment_account"
    GET_PAYMENT_ACCOUNT = "get_payment_account"
    AUTHORIZATION = "authorization"


TRANSACTION_OPERATIONS = frozenset(Operation) - {
    Operation.STATUS,
    Operation.PUBLIC_KEY,
    Operation.CREATE_PAYMENT_ACCOUNT,
    Operation.GET_PAYMENT_ACCOUNT,
}
"""Operations that create a transaction, at once or through the checkout page."""

Message: TypeAlias = (
    CheckoutRequest
    | FollowUpRequest
    | DetachedRefundRequest
    | StatusQuery
    | PublicKeyRequest
    | PaymentAccountRequest
    | PaymentAccountQuery
    | AuthorizationRequest
)
"""All request messages of the interface."""

_MESSAGES: Final[dict[Operation, type[Message]]] = {
    Operation.CHECKOUT: CheckoutRequest,
    Operation.CAPTURE: FollowUpRequest,
    Operation.REFUND: FollowUpRequest,
    Operation.REVERSAL: FollowUpRequest,
    Operation.DETACHED_REFUND: DetachedRefundRequest,
    Operation.STATUS: StatusQuery,
    Operation.PUBLIC_KEY: PublicKeyRequest,
    Operation.CREATE_PAYMENT_ACCOUNT: PaymentAccountRequest,
    Operation.GET_PAYMENT_ACCOUNT: PaymentAccountQuery,
    Operation.AUTHORIZATION: AuthorizationRequest,
}
_ROUTES: Final[dict[str, dict[str, Operation | None]]] = {
    endpoints.CHECKOUT.path: {"POST": Operation.CHECKOUT},
    # The body's type names the operation.
    endpoints.FOLLOW_UP.path: {"POST": None, "GET": Operation.STATUS},
    endpoints.PUBLIC_KEY.path: {"POST": Operation.PUBLIC_KEY},
    endpoints.CREATE_PAYMENT_ACCOUNT.path: {"POST": Operation.CREATE_PAYMENT_ACCOUNT},
    endpoints.AUTHORIZATION.path: {"POST": Operation.AUTHORIZATION},
}
_ACCOUNTS: Final = endpoints.GET_PAYMENT_ACCOUNT.path.removesuffix("{transactionAccountId}")
_ACCOUNT_PATH: Final = re.compile(rf"{re.escape(_ACCOUNTS)}[^/]+")
_BY_TYPE: Final = {fold_name(word): Operation(name) for word, name in endpoints.OPERATIONS.items()}
_MAX_PARAMETERS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRequest:
    """A request as received, before parsing."""

    method: str
    path: str
    raw_query: str = field(default="", repr=False)
    """The query string as received, without the question mark."""
    content_type: str = ""
    body: bytes = field(default=b"", repr=False)
    base_url: str
    """Base URL under which the sender reached the gateway, without a trailing slash."""
    authorization: str = field(default="", repr=False)
    """The ``Authorization`` header."""
    origin: str | None = None
    """The ``Origin`` header, in which a browser names the origin of the sending page."""

    @property
    def api_key(self) -> str:
        """The key from ``Authorization: PublicApiKey KEY``; empty without one."""
        scheme, _, key = self.authorization.partition(" ")
        return key.strip() if fold_name(scheme) == fold_name(endpoints.PUBLIC_KEY_SCHEME) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedRequest:
    """The operation and message of a request."""

    operation: Operation | None = None
    """None if the operation could not be determined."""
    message: Message | Refusal
    """The message, or the refusal if the request is invalid."""
    unknown_fields: tuple[str, ...] = ()


def parse_request(raw: RawRequest) -> ParsedRequest:
    """Parse a request; never raises."""
    operation = None
    try:
        operations = _operations_at(raw.path)
        if not operations:
            raise Refusal("UnknownPath", f"There is nothing at {quote(raw.path)}.")
        if raw.method not in operations:
            allowed = " or ".join(sorted(operations))
            raise Refusal("MethodNotAllowed", f"{raw.path} takes {allowed}, not {quote(raw.method)}.")
        operation = operations[raw.method]
        value = _query_parameters(raw) if raw.method == "GET" else _json_object(raw)
        if operation is None:
            given = next((part for name, part in value.items() if fold_name(name) == "type"), None)
            operation = _BY_TYPE.get(fold_name(given)) if isinstance(given, str) else None
        if operation is None:
            types = ", ".join(endpoints.OPERATIONS)
            raise Refusal("SchemaValidationError", f"type: must be one of {types}.")
    except Refusal as refusal:
        return ParsedRequest(operation=operation, message=refusal)
    model = _MESSAGES[operation]
    unknown = tuple(unknown_fields(model, value))
    message: Message | Refusal
    try:
        message = model.from_wire(value)
    except InvalidMessage as error:
        text = "; ".join(map(str, error.errors))
        message = Refusal("SchemaValidationError", text)
        for fault in error.errors:
            if fault.message == MISSING and f"{TOKEN_PATH}.".startswith(f"{fault.path}."):
                message = Refusal("TokenMissing", f"a required field is missing: {text}")
    return ParsedRequest(operation=operation, message=message, unknown_fields=unknown)


def allowed_methods(path: str) -> tuple[str, ...]:
    """Return the allowed methods of a path in alphabetical order; empty for an unknown path."""
    return tuple(sorted(_operations_at(path)))


def unknown_fields(model: type[WireModel], source: object, path: str = "") -> Iterator[str]:
    """Yield the path of each field in a wire object, or a list of them, that its message does not define."""
    if isinstance(source, list):
        for index, part in enumerate(source):
            yield from unknown_fields(model, part, f"{path}[{index}]")
    elif isinstance(source, dict):
        parts = _parts(model)
        for name, value in source.items():
            wire_name = model.spellings.get(fold_name(name))
            if wire_name is None:
                yield join_path(path, quote(name)[1:-1])
            elif wire_name in parts:
                yield from unknown_fields(parts[wire_name], value, join_path(path, wire_name))


@cache
def _parts(model: type[WireModel]) -> dict[str, type[WireModel]]:
    """Return the message classes of those fields that hold one or a list of them, by wire name."""
    found = {
        model.wire_names[name]: _message_in(field.annotation) for name, field in model.model_fields.items()
    }
    return {wire_name: part for wire_name, part in found.items() if part is not None}


def _message_in(annotation: object) -> type[WireModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, WireModel):
        return annotation
    return next(filter(None, map(_message_in, get_args(annotation))), None)


def _operations_at(path: str) -> Mapping[str, Operation | None]:
    if path not in _ROUTES and _ACCOUNT_PATH.fullmatch(path):
        return {"GET": Operation.GET_PAYMENT_ACCOUNT}
    return _ROUTES.get(path, {})


def _query_parameters(raw: RawRequest) -> dict[str, Any]:
    try:
        pairs = parse_qsl(
            raw.raw_query, keep_blank_values=True, errors="strict", max_num_fields=_MAX_PARAMETERS
        )
    except ValueError as error:
        raise Refusal(
            "SchemaValidationError", "the query is not UTF-8, or has too many parameters."
        ) from error
    parameters = dict(pairs)
    if len({fold_name(name) for name in parameters}) < len(pairs):
        raise Refusal("SchemaValidationError", "a query parameter is given twice; give each once.")
    if raw.path in _ROUTES:
        return parameters
    return parameters | {"transactionAccountId": raw.path.removeprefix(_ACCOUNTS)}


def _json_object(raw: RawRequest) -> dict[str, JsonValue]:
    if len(raw.body) > MAX_BODY_BYTES:
        raise Refusal("BodyTooLarge", f"A body has at most {MAX_BODY_BYTES} bytes.")
    if raw.content_type.partition(";")[0].strip().lower() != "application/json":
        given = f"{raw.content_type or 'nothing'!r:.100}"
        raise Refusal("UnsupportedMediaType", f"Send application/json, not {given}.")
    try:
        value = strict_json.loads(raw.body, max_bytes=MAX_BODY_BYTES)
    except UnreadableBody as error:
        raise Refusal("SchemaValidationError", str(error)) from error
    if not isinstance(value, dict):
        raise Refusal("SchemaValidationError", "the body is no JSON object.")
    return value
