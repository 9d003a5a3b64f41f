"""The gateway as Python methods, one for each endpoint. A request is never repeated here.

A method returns the answer as a message, or raises. Whether echoed values match, and what an answer means for
a payment, is decided elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeVar
from urllib.parse import quote

from wallet_gateway.client.calls import CallRecord, call_record
from wallet_gateway.client.credentials import MerchantAccount
from wallet_gateway.client.errors import GatewayError
from wallet_gateway.client.exchange import Answer, Exchange, RawAnswer
from wallet_gateway.client.redaction import redact, redact_message, redact_text, written
from wallet_gateway.client.responses import DecodedResponse, ResponseSpec, parse_response
from wallet_gateway.client.transport import Transport
from wallet_gateway.protocol import text
from wallet_gateway.protocol.accounts import (
    PaymentAccount,
    PaymentAccountQuery,
    PublicKeyRequest,
    PublicKeyResponse,
)
from wallet_gateway.protocol.authorizations import AuthorizationRequest, AuthorizationResponse
from wallet_gateway.protocol.checkout import CheckoutRequest, CheckoutResponse
from wallet_gateway.protocol.endpoints import (
    AUTHORIZATION,
    CHECKOUT,
    DETACHED_REFUND,
    ENDPOINTS,
    FOLLOW_UP,
    GET_PAYMENT_ACCOUNT,
    OPERATIONS,
    PUBLIC_KEY,
    PUBLIC_KEY_SCHEME,
    STATUS,
    Endpoint,
)
from wallet_gateway.protocol.errors import FieldError, InvalidMessage, UnreadableBody
from wallet_gateway.protocol.follow_ups import (
    DetachedRefundRequest,
    DetachedRefundResponse,
    FollowUpRequest,
    FollowUpResponse,
)
from wallet_gateway.protocol.status import StatusAnswer, StatusQuery, parse_records
from wallet_gateway.protocol.strict_json import JsonValue, loads, loads_by_parts
from wallet_gateway.protocol.wire import WireModel

Observer = Callable[[CallRecord], None]
"""Receives the record of each call when it is over; it must not raise."""
M = TypeVar("M")
W = TypeVar("W", bound=WireModel)


class Gateway:
    """One merchant's account at one gateway, reached over one transport.

    `paths` replaces an endpoint's path, by the endpoint's name, for a gateway that mounts it elsewhere. Every
    method raises NotSent, Refused, BadAnswer or OutcomeUnknown, with the exchange. `not_after` is an instant
    of `time.monotonic()`: later than that nothing is sent. `observer` receives the record of each call.
    """

    def __init__(
        self,
        *,
        account: MerchantAccount,
        transport: Transport,
        paths: Mapping[str, str] = MappingProxyType({}),
        observer: Observer | None = None,
    ) -> None:
        if unknown := paths.keys() - {endpoint.name for endpoint in ENDPOINTS}:
            known = ", ".join(endpoint.name for endpoint in ENDPOINTS)
            raise ValueError(f"paths names {', '.join(sorted(unknown))}; the endpoints are {known}")
        self.account = account
        self._transport = transport
        self._paths = dict(paths)
        self._observer = observer

    def checkout(
        self, request: CheckoutRequest, *, not_after: float | None = None
    ) -> Answer[CheckoutResponse]:
        """Ask for a page where the customer pays: the interface, section Checkout request."""
        return self._call(CHECKOUT, _CHECKOUT, message=request, not_after=not_after)

    def follow_up(
        self, request: FollowUpRequest, *, not_after: float | None = None
    ) -> Answer[FollowUpResponse]:
        """Capture, refund or reverse: the interface, section Follow-up request."""
        return self._call(FOLLOW_UP, _FOLLOW_UP, message=request, fresh=True, not_after=not_after)

    def detached_refund(
        self, request: DetachedRefundRequest, *, not_after: float | None = None
    ) -> Answer[DetachedRefundResponse]:
        """Refund what another provider processed: the interface, section Detached refund request."""
        return self._call(DETACHED_REFUND, _DETACHED_REFUND, message=request, fresh=True, not_after=not_after)

    def status(self, reference: str) -> Answer[StatusAnswer]:
        """Ask what the gateway knows under a reference: the interface, section Transaction status record.

        A record that cannot be read does not spoil the others: the answer names it.
        """
        query = StatusQuery.build(
            merchant_id=self.account.merchant_id,
            store_id=self.account.store_id,
            client_system_transaction_id=reference,
        )
        return self._call(STATUS, _STATUS, query=query.to_wire())

    def public_key(self) -> Answer[PublicKeyResponse]:
        """Ask for the keys of wallet payments: the interface, section Authentication."""
        account = self.account
        request = PublicKeyRequest.build(
            merchant_id=account.merchant_id, store_id=account.store_id, user_id=account.user_id
        )
        return self._call(PUBLIC_KEY, _PUBLIC_KEY, message=request)

    def payment_account(
        self, account_id: str, *, api_key: str, encryption_key: str
    ) -> Answer[PaymentAccount]:
        """Ask which card is behind an account: the interface, section Payment account."""
        query = PaymentAccountQuery.build(
            transaction_account_id=account_id,
            merchant_id=self.account.merchant_id,
            store_id=self.account.store_id,
            encryption_key_id=encryption_key,
        ).to_wire()
        place = {"transactionAccountId": query.pop("transactionAccountId")}
        return self._call(GET_PAYMENT_ACCOUNT, _ACCOUNT, place=place, query=query, api_key=api_key)

    def authorize(
        self, request: AuthorizationRequest, *, api_key: str, not_after: float | None = None
    ) -> Answer[AuthorizationResponse]:
        """Pay with the card of an account: the interface, rules 4 and 5 of section Endpoints."""
        return self._call(
            AUTHORIZATION, _AUTHORIZED, message=request, api_key=api_key, fresh=True, not_after=not_after
        )

    def _call(
        self,
        endpoint: Endpoint,
        spec: ResponseSpec[M],
        *,
        place: Mapping[str, str] = MappingProxyType({}),
        query: Mapping[str, str] | None = None,
        message: WireModel | None = None,
        api_key: str | None = None,
        fresh: bool = False,
        not_after: float | None = None,
    ) -> Answer[M]:
        operation, path = _operation(endpoint, message), self._paths.get(endpoint.name, endpoint.path)
        record = _Record(method=endpoint.method, path=path, message=message, started=time.monotonic())
        try:
            raw = self._transport.send(
                endpoint.method,
                _filled(path, place),
                query=query,
                body=message.to_json() if message else None,
                headers={"Authorization": f"{PUBLIC_KEY_SCHEME} {api_key}"} if api_key else None,
                fresh=fresh,
                not_after=not_after,
            )
        except GatewayError as error:
            self._end(operation, record.without_answer(sent=error.may_have_happened), error)
            raise
        value = _value_of(raw)
        exchange = record.with_answer(raw, value)
        try:
            said = parse_response(_answer(raw, value, by_parts=spec.by_parts), spec)
        except GatewayError as error:
            self._end(operation, exchange, error)
            raise
        self._end(operation, exchange)
        return Answer(message=said, exchange=exchange)

    def _end(self, operation: str, exchange: Exchange, error: GatewayError | None = None) -> None:
        if error is not None:
            error.exchange = exchange
        if self._observer is not None:
            self._observer(call_record(operation, exchange, error))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    """Collects what the exchange is made of; redacts only when the call is over."""

    method: str
    path: str
    message: WireModel | None
    started: float

    def without_answer(self, *, sent: bool) -> Exchange:
        return self._exchange(None, "", elapsed=time.monotonic() - self.started, sent=sent)

    def with_answer(self, raw: RawAnswer, value: JsonValue | UnreadableBody) -> Exchange:
        text = redact_text(raw.body) if isinstance(value, UnreadableBody) else written(redact(value))
        date = raw.headers.get("date", "")
        return self._exchange(raw.status, text, elapsed=raw.elapsed, sent=True, date=date)

    def _exchange(
        self, status: int | None, answer_body: str, *, elapsed: float, sent: bool, date: str = ""
    ) -> Exchange:
        return Exchange(
            method=self.method,
            url_path=self.path,
            http_status=status,
            request_body=written(redact(self.message.to_wire())) if self.message else "",
            answer_body=answer_body,
            elapsed_seconds=elapsed,
            sent=sent,
            date=date,
        )


def _operation(endpoint: Endpoint, message: WireModel | None) -> str:
    """Return the interface's name of the operation; follow-ups share an endpoint and differ by their type."""
    return OPERATIONS[message.type] if isinstance(message, FollowUpRequest) else endpoint.name


def _filled(path: str, place: Mapping[str, str]) -> str:
    for name, value in place.items():
        path = path.replace(f"{{{name}}}", quote(value, safe=""))
    return path


def _value_of(raw: RawAnswer, read: Callable[[bytes], JsonValue] = loads) -> JsonValue | UnreadableBody:
    try:
        return read(raw.body)
    except UnreadableBody as error:
        return error


def _answer(raw: RawAnswer, value: JsonValue | UnreadableBody, *, by_parts: bool) -> DecodedResponse:
    if by_parts and isinstance(value, UnreadableBody):
        parts = _value_of(raw, loads_by_parts)
        value = parts if isinstance(parts, list) else value
    return DecodedResponse(status=raw.status, headers=raw.headers, value=value)


def _object(model: type[W]) -> Callable[[JsonValue], W]:
    def read(value: JsonValue) -> W:
        if not isinstance(value, dict):
            raise InvalidMessage([FieldError("", f"{text.quote(value)} is no JSON object")])
        return model.from_wire(value)

    return read


_CHECKOUT = ResponseSpec(read=_object(CheckoutResponse), success_field="redirecturl")
_FOLLOW_UP = ResponseSpec(read=_object(FollowUpResponse), success_field="state")
_AUTHORIZED = ResponseSpec(read=_object(AuthorizationResponse), success_field="state")
_PUBLIC_KEY = ResponseSpec(read=_object(PublicKeyResponse), success_field="apikey")
_ACCOUNT = ResponseSpec(read=_object(PaymentAccount), success_field="cardtype")
_DETACHED_REFUND = ResponseSpec(read=_object(DetachedRefundResponse), success_field="state")


def _records(value: JsonValue) -> StatusAnswer:
    """Read status records; the complaints about unreadable ones are redacted."""
    answer = parse_records(value)
    redacted = (replace(one, complaint=redact_message(one.complaint)) for one in answer.unreadable)
    return replace(answer, unreadable=tuple(redacted))


_STATUS = ResponseSpec(read=_records, success_field="", by_parts=True)
