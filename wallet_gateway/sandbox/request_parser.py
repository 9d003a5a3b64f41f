"""From the bytes of a request to what is asked: its operation and its message, or the refusal it earns.

The operation is told even where the message is wrong, so that the journal has it and a fault can hit it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias
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
from wallet_gateway.protocol.errors import FieldError, InvalidMessage, UnreadableBody
from wallet_gateway.protocol.follow_ups import DetachedRefundRequest, FollowUpRequest
from wallet_gateway.protocol.status import StatusQuery
from wallet_gateway.protocol.strict_json import JsonValue, fold_name
from wallet_gateway.protocol.text import quote
from wallet_gateway.protocol.wire import MISSING
from wallet_gateway.sandbox.engine.refusals import (
    BodyTooLarge,
    MethodNotAllowed,
    Refusal,
    SchemaValidationError,
    UnknownPath,
    UnsupportedMediaType,
)
from wallet_gateway.sandbox.engine.wallet_refusals import TokenMissing
from wallet_gateway.sandbox.operations import Operation
from wallet_gateway.sandbox.unknown_fields import unknown_fields

MOST_BYTES: Final = 1_048_576
_MOST_PARAMETERS: Final = 100
_ACCOUNTS: Final = endpoints.GET_PAYMENT_ACCOUNT.path.removesuffix("{transactionAccountId}")
_ACCOUNT_PATH: Final = re.compile(rf"{re.escape(_ACCOUNTS)}[^/]+")

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
"""What a merchant can say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A request as it came off the wire."""

    method: str
    path: str
    raw_query: str = field(default="", repr=False)
    """The query as it was written, without its question mark."""
    content_type: str = ""
    body: bytes = field(default=b"", repr=False)
    base_url: str
    """Where its sender reached the gateway, without a trailing slash."""
    authorization: str = field(default="", repr=False)
    """The header of that name."""
    origin: str | None = None
    """The header ``Origin``, with which a browser says whose page sends the request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a request asks for."""

    operation: Operation | None = None
    """None where the request could not be understood that far."""
    message: Message | Refusal
    """The refusal it earns where it is no message."""
    unknown_fields: tuple[str, ...] = ()
    api_key: str = field(default="", repr=False)
    """The key of the header ``Authorization: PublicApiKey KEY``; empty without one."""
    origin: str | None = None


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
_BY_TYPE: Final = {fold_name(word): Operation(name) for word, name in endpoints.OPERATIONS.items()}


def understand(received: Received) -> Asked:
    """Tell what a request asks for; never raises."""
    try:
        read = _route(received)
    except Refusal as refusal:
        return Asked(message=refusal)
    return replace(read(received), api_key=_api_key(received.authorization), origin=received.origin)


def allowed_methods(path: str) -> tuple[str, ...]:
    """Give the methods an address answers, in alphabetical order; none for an unknown one."""
    return tuple(sorted(_methods_at(path)))


def _route(received: Received) -> Callable[[Received], Asked]:
    methods = _methods_at(received.path)
    if not methods:
        raise UnknownPath(f"There is nothing at {quote(received.path)}.")
    if received.method not in methods:
        allowed = " or ".join(sorted(methods))
        raise MethodNotAllowed(f"{received.path} takes {allowed}, not {quote(received.method)}.")
    return methods[received.method]


def _methods_at(path: str) -> Mapping[str, Callable[[Received], Asked]]:
    if path not in _ROUTES and _ACCOUNT_PATH.fullmatch(path):
        return {endpoints.GET_PAYMENT_ACCOUNT.method: _read_account}
    return _ROUTES.get(path, {})


def _api_key(authorization: str) -> str:
    scheme, _, key = authorization.partition(" ")
    return key.strip() if fold_name(scheme) == fold_name(endpoints.PUBLIC_KEY_SCHEME) else ""


def _read_only(operation: Operation) -> Callable[[Received], Asked]:
    """Read the body of an address that serves one operation."""
    return lambda received: _read_body(received, lambda _: operation, otherwise=operation)


def _read_by_type(received: Received) -> Asked:
    return _read_body(received, _operation_by_type)


def _read_status(received: Received) -> Asked:
    try:
        return _asked(Operation.STATUS, _query_parameters(received.raw_query))
    except Refusal as refusal:
        return Asked(operation=Operation.STATUS, message=refusal)


def _read_account(received: Received) -> Asked:
    account_id = received.path.removeprefix(_ACCOUNTS)
    try:
        parameters = _query_parameters(received.raw_query) | {"transactionAccountId": account_id}
        return _asked(Operation.GET_PAYMENT_ACCOUNT, parameters)
    except Refusal as refusal:
        return Asked(operation=Operation.GET_PAYMENT_ACCOUNT, message=refusal)


def _read_body(
    received: Received,
    operation_of: Callable[[Mapping[str, Any]], Operation],
    otherwise: Operation | None = None,
) -> Asked:
    operation = otherwise
    try:
        value = _json_object(received)
        operation = operation_of(value)
    except Refusal as refusal:
        return Asked(operation=operation, message=refusal)
    return _asked(operation, value)


def _json_object(received: Received) -> dict[str, JsonValue]:
    if len(received.body) > MOST_BYTES:
        raise BodyTooLarge(f"A body has at most {MOST_BYTES} bytes.")
    if received.content_type.partition(";")[0].strip().lower() != "application/json":
        raise UnsupportedMediaType(f"Send application/json, not {received.content_type or 'nothing'!r:.100}.")
    try:
        value = strict_json.loads(received.body, max_bytes=MOST_BYTES)
    except UnreadableBody as error:
        raise SchemaValidationError(str(error)) from error
    if not isinstance(value, dict):
        raise SchemaValidationError("the body is no JSON object.")
    return value


def _query_parameters(raw_query: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(raw_query, keep_blank_values=True, errors="strict", max_num_fields=_MOST_PARAMETERS)
    except ValueError as error:
        raise SchemaValidationError("the query is not UTF-8, or has too many parameters.") from error
    parameters = dict(pairs)
    if len({fold_name(name) for name in parameters}) < len(pairs):
        raise SchemaValidationError("a query parameter is given twice; give each once.")
    return parameters


def _operation_by_type(value: Mapping[str, Any]) -> Operation:
    given = next((part for name, part in value.items() if fold_name(name) == "type"), None)
    operation = _BY_TYPE.get(fold_name(given)) if isinstance(given, str) else None
    if operation is None:
        raise SchemaValidationError(f"type: must be one of {', '.join(endpoints.OPERATIONS)}.")
    return operation


def _asked(operation: Operation, value: dict[str, Any]) -> Asked:
    model = _MESSAGES[operation]
    unknown = tuple(unknown_fields(model, value))
    try:
        return Asked(operation=operation, message=model.from_wire(value), unknown_fields=unknown)
    except InvalidMessage as error:
        return Asked(operation=operation, message=_refusal(error), unknown_fields=unknown)


def _refusal(error: InvalidMessage) -> Refusal:
    text = "; ".join(map(str, error.errors))
    if any(_lacks_the_token(fault) for fault in error.errors):
        return TokenMissing(f"a required field is missing: {text}")
    return SchemaValidationError(text)


def _lacks_the_token(fault: FieldError) -> bool:
    return fault.message == MISSING and f"{TOKEN_PATH}.".startswith(f"{fault.path}.")


_ROUTES: Final[dict[str, dict[str, Callable[[Received], Asked]]]] = {
    endpoints.CHECKOUT.path: {endpoints.CHECKOUT.method: _read_only(Operation.CHECKOUT)},
    endpoints.FOLLOW_UP.path: {
        endpoints.FOLLOW_UP.method: _read_by_type,
        endpoints.STATUS.method: _read_status,
    },
    endpoints.PUBLIC_KEY.path: {endpoints.PUBLIC_KEY.method: _read_only(Operation.PUBLIC_KEY)},
    endpoints.CREATE_PAYMENT_ACCOUNT.path: {
        endpoints.CREATE_PAYMENT_ACCOUNT.method: _read_only(Operation.CREATE_PAYMENT_ACCOUNT)
    },
    endpoints.AUTHORIZATION.path: {endpoints.AUTHORIZATION.method: _read_only(Operation.AUTHORIZATION)},
}
