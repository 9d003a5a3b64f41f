"""The gateway as Python methods, one for each message. A request is never repeated here.

A method returns the answer as a message, or raises. Whether echoed values match, and what an answer means for
a payment, is decided elsewhere. A subclass adapts it to a gateway with other habits: it overrides a method,
or one of the two places that all of them pass, `adapt_request` and `adapt_answer`.

Of an answer the HTTP status alone decides nothing: a 2xx may carry an error, and a 4xx may come from a proxy
that never asked the gateway. Only the gateway's own error body is a refusal, and only with a 2xx or most 4xx.
What a subclass raises is a fault of the shop's code. Before the request has left it means that nothing was
sent, afterwards that the answer cannot be read; it never ends an operation half-way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from types import MappingProxyType
from typing import TypeVar
from urllib.parse import quote

from wallet_gateway.client.errors import (
    BadAnswer,
    GatewayError,
    NotSent,
    NotSentReason,
    OutcomeUnknown,
    Refused,
    UnknownReason,
    describe,
    map_exception,
)
from wallet_gateway.client.exchange import (
    Answer,
    CallOutcome,
    CallRecord,
    Exchange,
    GatewayRequest,
    MerchantAccount,
    RawAnswer,
)
from wallet_gateway.client.redaction import redact, redact_message, redact_text
from wallet_gateway.client.transport import Transport
from wallet_gateway.protocol.accounts import (
    PaymentAccount,
    PaymentAccountQuery,
    PublicKeyRequest,
    PublicKeyResponse,
)
from wallet_gateway.protocol.authorizations import AuthorizationRequest, AuthorizationResponse
from wallet_gateway.protocol.checkout import CheckoutRequest, CheckoutResponse
from wallet_gateway.protocol.cryptograms import remove_cryptogram
from wallet_gateway.protocol.endpoints import (
    AUTHORIZATION,
    CHECKOUT,
    DETACHED_REFUND,
    FOLLOW_UP,
    GET_PAYMENT_ACCOUNT,
    OPERATIONS,
    PUBLIC_KEY,
    PUBLIC_KEY_SCHEME,
    STATUS,
    Endpoint,
)
from wallet_gateway.protocol.errors import InvalidMessage, ProtocolError, UnreadableBody
from wallet_gateway.protocol.faults import ErrorBody, is_contradictory, looks_like_error
from wallet_gateway.protocol.follow_ups import (
    DetachedRefundRequest,
    DetachedRefundResponse,
    FollowUpRequest,
    FollowUpResponse,
)
from wallet_gateway.protocol.status import StatusAnswer, StatusQuery, parse_records
from wallet_gateway.protocol.strict_json import JsonValue, dumps, loads, loads_by_parts
from wallet_gateway.protocol.wire import WireModel

Observer = Callable[[CallRecord], None]
"""Receives the record of each call when it is over; it must not raise."""
M = TypeVar("M")

_MAX_RETRY_AFTER = 900.0
"""Seconds, the longest wait that a gateway can ask for."""

# These two and 429 say nothing of the request: a proxy may answer so before or after passing it on.
_TRY_LATER = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY)
_MAX_DETAIL_LENGTH = 500
_FRESH = frozenset({FOLLOW_UP, DETACHED_REFUND, AUTHORIZATION})
"""What moves money by itself goes over a connection of its own."""


class Gateway:
    """One merchant's account at one gateway, reached over one transport.

    `paths` replaces an endpoint's path, by the endpoint's name, for a gateway that mounts it elsewhere. Every
    method raises NotSent, Refused, BadAnswer or OutcomeUnknown, with the exchange. `not_after` is an instant
    of `steady_seconds`: later than that nothing is sent. `observer` receives the record of each call.
    `api_key` returns the current key of the key service; it raises NotSent if there is none.
    """

    def __init__(
        self,
        *,
        account: MerchantAccount,
        transport: Transport,
        paths: Mapping[str, str] = MappingProxyType({}),
        observer: Observer | None = None,
        api_key: Callable[[], str] | None = None,
    ) -> None:
        self.account = account
        self._store = {"merchant_id": account.merchant_id, "store_id": account.store_id}
        self._transport = transport
        self._paths = dict(paths)
        self._observer = observer
        self._api_key = api_key

    def checkout(
        self, request: CheckoutRequest, *, not_after: float | None = None
    ) -> Answer[CheckoutResponse]:
        """Ask for a page where the customer pays: the interface, section Checkout request."""
        return self._call(CHECKOUT, CheckoutResponse.from_wire, request, not_after=not_after)

    def follow_up(
        self, request: FollowUpRequest, *, not_after: float | None = None
    ) -> Answer[FollowUpResponse]:
        """Capture, refund or reverse: the interface, section Follow-up request."""
        return self._call(FOLLOW_UP, FollowUpResponse.from_wire, request, not_after=not_after)

    def detached_refund(
        self, request: DetachedRefundRequest, *, not_after: float | None = None
    ) -> Answer[DetachedRefundResponse]:
        """Refund what another provider processed: the interface, section Detached refund request."""
        return self._call(DETACHED_REFUND, DetachedRefundResponse.from_wire, request, not_after=not_after)

    def status(self, reference: str) -> Answer[StatusAnswer]:
        """Ask what the gateway knows under a reference: the interface, section Transaction status record.

        A record that cannot be read does not spoil the others: the answer names it.
        """
        query = StatusQuery.build(**self._store, client_system_transaction_id=reference)
        return self._call(STATUS, _records, query)

    def public_key(self) -> Answer[PublicKeyResponse]:
        """Ask for the keys of wallet payments: the interface, section Authentication."""
        request = PublicKeyRequest.build(**self._store, user_id=self.account.user_id)
        return self._call(PUBLIC_KEY, PublicKeyResponse.from_wire, request)

    def payment_account(
        self, account_id: str, *, api_key: str, encryption_key: str
    ) -> Answer[PaymentAccount]:
        """Ask which card is behind an account: the interface, section Payment account."""
        query = PaymentAccountQuery.build(
            **self._store, transaction_account_id=account_id, encryption_key_id=encryption_key
        )
        return self._call(GET_PAYMENT_ACCOUNT, PaymentAccount.from_wire, query, api_key=api_key)

    def authorize(
        self, request: AuthorizationRequest, *, api_key: str, not_after: float | None = None
    ) -> Answer[AuthorizationResponse]:
        """Pay with the card of an account: the interface, rules 4 and 5 of section Endpoints."""
        return self._call(
            AUTHORIZATION, AuthorizationResponse.from_wire, request, api_key=api_key, not_after=not_after
        )

    def adapt_request(self, endpoint: Endpoint, request: GatewayRequest) -> GatewayRequest:  # noqa: ARG002
        """Return the request as this gateway wants it; the default is the interface's. For subclasses.

        Called for each request before it is signed, so it must give the same each time. Whatever it raises
        means that nothing was sent.
        """
        return request

    def adapt_answer(self, endpoint: Endpoint, value: JsonValue) -> JsonValue:  # noqa: ARG002
        """Return a JSON answer of this gateway in the interface's shape, errors included. For subclasses.

        Numbers are texts here. The result is read as strictly as an answer that needs no change. Whatever it
        raises means that the answer cannot be read.
        """
        return value

    def current_api_key(self) -> str:
        """Return the API key of the key service: stored, shared and renewed as for the wallet button.

        For requests that need one besides the wallet's own; the key service cannot be among them. Raises
        NotSent without a key.
        """
        if self._api_key is None:
            raise NotSent(NotSentReason.NO_API_KEY)
        return self._api_key()

    def _call(
        self,
        endpoint: Endpoint,
        read: Callable[[JsonValue], M],
        message: WireModel,
        *,
        api_key: str | None = None,
        not_after: float | None = None,
    ) -> Answer[M]:
        # Follow-ups share an endpoint and differ by their type.
        operation = OPERATIONS[message.type] if isinstance(message, FollowUpRequest) else endpoint.name
        started = time.monotonic()
        path = self._paths.get(endpoint.name, endpoint.path)
        values, is_query = message.to_wire(), endpoint.method == "GET"
        # What the path has no place for is sent as a parameter: nothing that was asked for is lost.
        placed = {name: text for name, text in values.items() if is_query and f"{{{name}}}" in path}
        request = GatewayRequest(
            method=endpoint.method,
            path=path,
            path_values=placed,
            query={name: values[name] for name in values if name not in placed} if is_query else None,
            body=None if is_query else values,
            headers={"Authorization": f"{PUBLIC_KEY_SCHEME} {api_key}"} if api_key else {},
        )
        raw: RawAnswer | None = None
        shown = ""

        def end(error: GatewayError | None = None) -> Exchange:
            """Return the exchange as it is kept; bodies are redacted only here, when the call is over."""
            exchange = Exchange(
                method=request.method,
                url_path=request.path,
                http_status=raw.status if raw else None,
                request_body="" if request.body is None else redact(request.body),
                answer_body=shown,
                elapsed_seconds=raw.elapsed if raw else time.monotonic() - started,
                sent=raw is not None or (error is not None and error.may_have_happened),
                date=raw.headers.get("date", "") if raw else "",
            )
            if self._observer is not None:
                record = CallRecord(
                    operation=operation,
                    method=exchange.method,
                    path=exchange.url_path,
                    outcome=error.outcome if error else CallOutcome.ANSWERED,
                    reason=str(error.reason) if error else "",
                    http_status=exchange.http_status,
                    elapsed_seconds=exchange.elapsed_seconds,
                )
                self._observer(record)
            return exchange

        try:
            request, body = self._adapted(endpoint, request, None if is_query else message.to_json())
            filled = request.path
            for name, value in request.path_values.items():
                filled = filled.replace(f"{{{name}}}", quote(value, safe=""))
            raw = self._transport.send(
                request.method,
                filled,
                query=request.query,
                body=body,
                headers=request.headers or None,
                fresh=endpoint in _FRESH,
                not_after=not_after,
            )
            if isinstance(message, AuthorizationRequest) and message.cryptogram is not None:
                # A gateway may repeat the cryptogram in any field. Each octet is one character, so that
                # nothing else is changed, whatever the encoding.
                known = raw.body.decode("latin-1")
                clean = remove_cryptogram(known, message.cryptogram.get_secret_value())
                raw = replace(raw, body=clean.encode("latin-1"))
            answered = _value_of(raw)
            shown = redact_text(raw.body) if isinstance(answered, UnreadableBody) else redact(answered)
            said = self._read(endpoint, read, raw, answered)
        except GatewayError as error:
            error.exchange = end(error)
            raise
        return Answer(message=said, exchange=end())

    def _adapted(
        self, endpoint: Endpoint, request: GatewayRequest, unchanged: bytes | None
    ) -> tuple[GatewayRequest, bytes | None]:
        """Return the request as this gateway wants it, with the bytes of its body."""
        try:
            other = self.adapt_request(endpoint, request)
            if other.body is request.body:
                return other, unchanged
            return other, None if other.body is None else dumps(other.body)
        except GatewayError:
            raise
        except Exception as error:  # noqa: BLE001 - the shop's code may raise any
            failure = map_exception(error, sent=False, doing="adapting the request")
        # Outside the handler, so that the error, which may hold a body, is not chained.
        raise failure

    def _read(
        self,
        endpoint: Endpoint,
        read: Callable[[JsonValue], M],
        raw: RawAnswer,
        value: JsonValue | UnreadableBody,
    ) -> M:
        """Return the message of a success; raises Refused, BadAnswer or OutcomeUnknown for all else."""
        if endpoint is STATUS and isinstance(value, UnreadableBody):
            parts = _value_of(raw, loads_by_parts)
            # Nothing but a list is read by parts.
            value = parts if isinstance(parts, list) else value
        if not isinstance(value, UnreadableBody):
            try:
                value = self.adapt_answer(endpoint, value)
            except Exception as error:  # noqa: BLE001 - the shop's code may raise any
                value = UnreadableBody(f"adapting the answer: {describe(error)}")
        reason = _reason(raw.status)
        if reason in {None, UnknownReason.FOREIGN_ANSWER}:
            # An error's code beside a field of a success is enough: whatever it is, it is not a clear yes.
            if is_contradictory(value, endpoint.success_field):
                text = "an error's code beside a field of a success"
                unknown = OutcomeUnknown if reason else BadAnswer
                wait = _retry_after_seconds(raw.headers)
                raise unknown(UnknownReason.CONTRADICTORY, wait, detail=f"HTTP {raw.status}, {text}")
            if refusal := _refusal(raw.status, value):
                raise refusal
        if reason is not None:
            raise OutcomeUnknown(reason, _retry_after_seconds(raw.headers), detail=f"HTTP {raw.status}")
        if isinstance(value, UnreadableBody):
            raise _bad(UnknownReason.UNREADABLE, value)
        try:
            return read(value)
        except ProtocolError as error:
            bad = _bad(UnknownReason.WRONG_SHAPE, error)
        # Outside the handler, so that the error, which holds parts of the answer, is not chained.
        raise bad


def _value_of(raw: RawAnswer, read: Callable[[bytes], JsonValue] = loads) -> JsonValue | UnreadableBody:
    try:
        return read(raw.body)
    except UnreadableBody as error:
        return error


def _bad(reason: UnknownReason, error: ProtocolError) -> BadAnswer:
    return BadAnswer(reason, detail=redact_message(str(error))[:_MAX_DETAIL_LENGTH])


def _reason(status: int) -> UnknownReason | None:
    if 200 <= status < 300:
        return None
    if 300 <= status < 400:
        return UnknownReason.REDIRECT
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return UnknownReason.RATE_LIMITED
    if status in _TRY_LATER:
        return UnknownReason.TRY_LATER
    if 400 <= status < 500:
        return UnknownReason.FOREIGN_ANSWER
    return UnknownReason.SERVER_ERROR if 500 <= status < 600 else UnknownReason.OTHER


def _refusal(status: int, value: JsonValue | UnreadableBody) -> Refused | None:
    if not isinstance(value, dict) or not looks_like_error(value):
        return None
    try:
        body = ErrorBody.from_wire(value)
    except InvalidMessage:
        return None
    return Refused(redact_message(body.code), redact_message(body.message), status)


def _retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Read `Retry-After`, seconds or a date, as 0 to 900 seconds from now; None without one."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text), _MAX_RETRY_AFTER)
    until = _date(text)
    if until is None:
        return None
    # Against the gateway's own clock, where it tells it: ours may be wrong.
    now = _date(headers.get("date", "")) or datetime.fromtimestamp(time.time(), UTC)
    return min(max((until - now).total_seconds(), 0.0), _MAX_RETRY_AFTER)


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def _records(value: JsonValue) -> StatusAnswer:
    """Read status records; the complaints about unreadable ones are redacted."""
    answer = parse_records(value)
    redacted = (replace(one, complaint=redact_message(one.complaint)) for one in answer.unreadable)
    return replace(answer, unreadable=tuple(redacted))
