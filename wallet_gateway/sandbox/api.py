"""The payment service's interface: journal a request, apply a fault if one is set, and answer.

Also what becomes due when the sandbox's clock advances: requests delayed by the fault ``late``, and expired
3-D Secure pages. Due work is executed before each request, so no caller can see a state in which it is
still open. What a request does to payments is in the modules that ``_EXECUTE`` names, and how a broken
answer leaves the socket in ``server``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any, Final
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import get_script_prefix

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.accounts import PaymentAccountQuery, PaymentAccountRequest, PublicKeyRequest
from wallet_gateway.protocol.authorizations import AuthorizationRequest
from wallet_gateway.protocol.checkout import CheckoutRequest
from wallet_gateway.protocol.endpoints import CREATE_PAYMENT_ACCOUNT
from wallet_gateway.protocol.faults import FaultCode, error_body
from wallet_gateway.protocol.follow_ups import DetachedRefundRequest, FollowUpRequest
from wallet_gateway.protocol.status import StatusQuery
from wallet_gateway.protocol.strict_json import NumberText
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox import journal
from wallet_gateway.sandbox.authorizations import (
    authorize,
    check_api_key,
    create_payment_account,
    describe_payment_account,
    expired_authentications,
    issue_public_key,
)
from wallet_gateway.sandbox.checkouts import open_checkout
from wallet_gateway.sandbox.faults import take_fault
from wallet_gateway.sandbox.follow_ups import execute_detached_refund, execute_follow_up
from wallet_gateway.sandbox.merchants import merchant_of
from wallet_gateway.sandbox.models import FaultKind, LetterCase, Merchant, SandboxState, SetFault
from wallet_gateway.sandbox.records import ABANDONED, SLOW_AMOUNT, change_state, status_records
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.requests import Message, ParsedRequest, RawRequest, allowed_methods, parse_request
from wallet_gateway.sandbox.server import (
    DRIP_SECONDS,
    ENVIRON_KEY,
    Delivery,
    DeliveryMode,
    SleepCancelled,
    cancellable_sleep,
)
from wallet_gateway.sandbox.state import (
    Conditions,
    RequestContext,
    current_conditions,
    write_lock,
)

SLOW_SECONDS: Final = 5.0
"""Delay of the answer to the special amount ``SLOW``."""
_PREFLIGHT_HEADERS: Final = (
    ("Access-Control-Allow-Methods", CREATE_PAYMENT_ACCOUNT.method),
    ("Access-Control-Allow-Headers", "Authorization, Content-Type"),
    ("Access-Control-Max-Age", "600"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An HTTP answer, and how it is to be delivered."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    mode: DeliveryMode = DeliveryMode.WHOLE
    drip_seconds: float = DRIP_SECONDS


DROPPED: Final = Reply(mode=DeliveryMode.DROPPED)
"""No answer: the connection is closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A parsed request with the conditions under which it is answered."""

    raw: RawRequest
    parsed: ParsedRequest
    conditions: Conditions

    def reply(self, fault: FaultKind | None = None) -> Reply:
        """Process the request and return the formatted answer."""
        status, value = self.process(fault)
        money = getattr(self.parsed.message, "money", None)
        if status == 200 and money is not None and money.amount == SLOW_AMOUNT:
            cancellable_sleep(SLOW_SECONDS)
        return self.write(value, status=status)

    def process(self, fault: FaultKind | None = None) -> tuple[int, Any]:
        """Execute the request or refuse it; return the HTTP status and the answer in canonical wire form."""
        message = self.parsed.message
        try:
            if isinstance(message, Refusal):
                raise message
            merchant = merchant_of(message)
            if isinstance(message, PaymentAccountRequest) and not _is_registered(self.raw.origin, [merchant]):
                text = f"Pages of {quote(self.raw.origin)} are not registered for this merchant."
                raise Refusal("OriginNotRegistered", text)
            if isinstance(message, PaymentAccountRequest | PaymentAccountQuery | AuthorizationRequest):
                check_api_key(merchant, self.raw.api_key, now=self.conditions.now)
            given, path = merchant.provider, ""
            if isinstance(message, CheckoutRequest):
                given, path = message.checkout_details.payment_method, "checkoutDetails.paymentMethod"
            elif isinstance(message, FollowUpRequest | DetachedRefundRequest):
                given, path = message.apm_details.apm_provider, "apmDetails.apmProvider"
            if given.casefold() != merchant.provider.casefold():
                text = f"{path}: must be {quote(merchant.provider)}, not {quote(given)}"
                raise Refusal("SchemaValidationError", text)
            context = RequestContext(
                merchant=merchant,
                conditions=self.conditions,
                base_url=self.raw.base_url,
                fault=fault,
            )
            return 200, _EXECUTE[type(message)](context, message)
        except Refusal as refusal:
            return refusal.status, refusal.to_wire()

    def write(self, value: object, *, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Reply:
        """Format an answer according to the configured behaviour."""
        if status == 405:
            headers = (*headers, ("Allow", ", ".join(allowed_methods(self.raw.path))))
        body = strict_json.dumps(_format_value(value, self.conditions.behaviour))
        return Reply(status=status, body=body, headers=headers)


_EXECUTE: Final[Mapping[type[Message], Callable[[RequestContext, Any], Any]]] = {
    CheckoutRequest: open_checkout,
    FollowUpRequest: execute_follow_up,
    DetachedRefundRequest: execute_detached_refund,
    StatusQuery: lambda context, query: status_records(context, query.client_system_transaction_id),
    PublicKeyRequest: lambda context, _: issue_public_key(context),
    PaymentAccountRequest: create_payment_account,
    PaymentAccountQuery: describe_payment_account,
    AuthorizationRequest: authorize,
}


def _is_registered(origin: str | None, merchants: Iterable[Merchant]) -> bool:
    """Tell whether a page's origin is registered; a request without one does not come from a page."""
    if origin is None:
        return True
    origin = origin.lower()
    try:
        with_any_port = f"{origin.removesuffix(f':{urlsplit(origin).port}')}:*"
    except ValueError:
        return False
    registered = {known.rstrip("/").lower() for merchant in merchants for known in merchant.origins}
    return origin in registered or with_any_port in registered


def _cors_headers(raw: RawRequest, merchants: Iterable[Merchant]) -> tuple[tuple[str, str], ...]:
    """Return the headers that let a page read an answer, an error too; no other operation is for browsers."""
    if raw.origin is None or not _is_registered(raw.origin, merchants):
        return (("Vary", "Origin"),)
    allowed = (("Access-Control-Allow-Origin", raw.origin), ("Vary", "Origin"))
    return (*allowed, *_PREFLIGHT_HEADERS) if raw.method == "OPTIONS" else allowed


def _format_value(value: object, behaviour: SandboxState) -> object:
    """Return an answer in canonical wire form with the configured letter case and amounts."""
    if isinstance(value, list):
        return [_format_value(part, behaviour) for part in value]
    if not isinstance(value, dict):
        return value
    formatted = {}
    for name, part in value.items():
        written = _format_value(part, behaviour)
        # Amounts in status records have another name and are numbers in any case.
        if behaviour.numeric_amounts and name == "amount" and isinstance(part, str):
            written = NumberText(part)
        if behaviour.letter_case == LetterCase.PASCAL:
            name = name[:1].upper() + name[1:]
        elif behaviour.letter_case == LetterCase.LOWER:
            name = name.lower()
        formatted[name] = written
    return formatted


late_requests: Final[list[tuple[datetime, RawRequest]]] = []
"""Requests that are processed when the clock reaches their time. They may hold keys, so none is stored."""


def execute_due_requests() -> Conditions:
    """Execute all due requests in the order of their due times, and end expired 3-D Secure pages.

    Returns the conditions under which they were executed.
    """
    conditions = current_conditions()
    expired = expired_authentications(conditions.now)
    if not any(due_at <= conditions.now for due_at, _ in late_requests) and not expired.exists():
        return conditions
    with write_lock():
        for page in expired.all():
            change_state(page.record, ABANDONED, now=page.expires_at)
        late_requests.sort(key=itemgetter(0))
        while late_requests and late_requests[0][0] <= conditions.now:
            _, raw = late_requests.pop(0)
            Exchange(raw=raw, parsed=parse_request(raw), conditions=conditions).process()
    return conditions


class DelayedRequestsMiddleware:
    """Executes due work before each request of people and tests; the API's view does so itself."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Execute due work, then call the view."""
        if not request.path_info.startswith("/api/"):
            execute_due_requests()
        return self.get_response(request)


DEFAULT_WAIT_SECONDS: Final = 5.0
DEFAULT_LATE_SECONDS: Final = 60.0
DEFAULT_RETRY_SECONDS: Final = 30.0
DEFAULT_STATUS: Final = 500
DEFAULT_ERROR_STATUS: Final = 400
DEFAULT_MESSAGE: Final = "SchemaValidationError: this answer is a fault that was set."

_HTML: Final = (
    b"<!DOCTYPE html><html><head><title>Gateway</title></head><body><h1>Gateway</h1></body></html>\n"
)
_OTHER_SHAPE: Final = {"result": {"ok": True}, "items": []}


def answer_with_fault(exchange: Exchange, fault: SetFault) -> Reply:
    """Answer a request as its fault says; it is processed only where ``reply`` or ``process`` is called."""
    error = error_body(fault.code or FaultCode.VALIDATION, fault.message or DEFAULT_MESSAGE).to_wire()
    match kind := FaultKind(fault.fault):
        # The request is not processed, or not yet.
        case FaultKind.DROP_BEFORE:
            return DROPPED
        case FaultKind.LATE:
            due_at = exchange.conditions.now + timedelta(seconds=_seconds(fault, DEFAULT_LATE_SECONDS))
            with write_lock():
                late_requests.append((due_at, exchange.raw))
            return DROPPED
        case FaultKind.STATUS_BEFORE:
            return _html(fault.status or DEFAULT_STATUS)
        case FaultKind.ERROR_BODY:
            return exchange.write(error, status=fault.status or DEFAULT_ERROR_STATUS)
        case FaultKind.BARE_ERROR:
            return exchange.write({"code": error["code"]}, status=fault.status or DEFAULT_ERROR_STATUS)
        case FaultKind.THROTTLED:
            seconds = round(_seconds(fault, DEFAULT_RETRY_SECONDS))
            body = Refusal("TooManyRequests", f"Come again in {seconds} seconds.").to_wire()
            return exchange.write(body, status=429, headers=(("Retry-After", str(seconds)),))
        case FaultKind.REDIRECTED:
            location = f"{exchange.raw.base_url}{get_script_prefix()}api/v5/moved"
            body = Refusal("Moved", f"See {location}.").to_wire()
            return exchange.write(body, status=307, headers=(("Location", location),))
        case FaultKind.DELAY_BEFORE:
            cancellable_sleep(_seconds(fault, DEFAULT_WAIT_SECONDS))
            return replace(exchange, conditions=current_conditions()).reply()
        # It is processed, and answered with something else.
        case FaultKind.DROP_AFTER:
            exchange.process()
            return DROPPED
        case FaultKind.STATUS_AFTER:
            exchange.process()
            return _html(fault.status or DEFAULT_STATUS)
        case FaultKind.NOT_JSON:
            exchange.process()
            return _html(200)
        case FaultKind.WRONG_SHAPE:
            exchange.process()
            return exchange.write(_OTHER_SHAPE)
        case FaultKind.EMPTY:
            exchange.process()
            return Reply()
        case FaultKind.ERROR_200:
            exchange.process()
            return exchange.write(error)
        case FaultKind.MIXED:
            _, value = exchange.process()
            both = [part | error for part in value] or [error] if isinstance(value, list) else value | error
            return exchange.write(both)
        case FaultKind.UNREADABLE_RECORD:
            status, value = exchange.process()
            if isinstance(value, list):
                last = value[-1] if value else {"type": "chargeback"}
                value = [*value, last | {"id": None, "transactionAmount": NumberText("-5.00")}]
            return exchange.write(value, status=status)
        # It is processed in another way.
        case FaultKind.DUPLICATE:
            exchange.process()
            return exchange.reply()
        case FaultKind.ERRORED | FaultKind.UNDOCUMENTED_STATE | FaultKind.PARTIAL:
            return exchange.reply(kind)
        # Its answer is late or damaged on the way.
        case FaultKind.DELAY_AFTER:
            reply = exchange.reply()
            cancellable_sleep(_seconds(fault, DEFAULT_WAIT_SECONDS))
            return reply
        case FaultKind.BAD_GZIP:
            return replace(exchange.reply(), headers=(("Content-Encoding", "gzip"),))
        case FaultKind.DRIP:
            drip_seconds = _seconds(fault, DRIP_SECONDS)
            return replace(exchange.reply(), mode=DeliveryMode.DRIP, drip_seconds=drip_seconds)
        case FaultKind.TRUNCATED | FaultKind.RESET | FaultKind.BAD_STATUS_LINE:
            return replace(exchange.reply(), mode=DeliveryMode(kind))


def _seconds(fault: SetFault, default: float) -> float:
    return default if fault.delay is None else fault.delay.total_seconds()


def _html(status: int) -> Reply:
    return Reply(status=status, body=_HTML, content_type="text/html; charset=utf-8")


def answer(request: HttpRequest) -> HttpResponse:
    """Answer any request under ``/api/``, whatever its method and path."""
    reply = dispatch(
        RawRequest(
            method=request.method or "",
            path=request.path_info,
            raw_query=request.META.get("QUERY_STRING", ""),
            content_type=request.META.get("CONTENT_TYPE", ""),
            body=request.body,
            base_url=f"{request.scheme}://{request.get_host()}",
            authorization=request.META.get("HTTP_AUTHORIZATION", ""),
            origin=request.META.get("HTTP_ORIGIN"),
        )
    )
    delivery = request.META.get(ENVIRON_KEY, Delivery())
    delivery.mode, delivery.drip_seconds = reply.mode, reply.drip_seconds
    return HttpResponse(
        reply.body, status=reply.status, content_type=reply.content_type, headers=dict(reply.headers)
    )


def dispatch(raw: RawRequest) -> Reply:
    """Process a request under ``/api/`` and return the reply."""
    is_for_browsers = raw.path == CREATE_PAYMENT_ACCOUNT.path
    if raw.method == "OPTIONS" and is_for_browsers:
        # The preflight comes from the browser and names no merchant: it is not journalled and hits no fault.
        return Reply(status=204, headers=_cors_headers(raw, Merchant.objects.all()))
    conditions = execute_due_requests()
    parsed = parse_request(raw)
    fault = take_fault(parsed.operation)
    entry = journal.open_entry(raw, parsed, fault=fault.fault if fault else "", now=conditions.now)
    exchange = Exchange(raw=raw, parsed=parsed, conditions=conditions)
    try:
        reply = answer_with_fault(exchange, fault) if fault else exchange.reply()
    except SleepCancelled:
        return DROPPED
    if reply.mode is not DeliveryMode.DROPPED:
        journal.close_entry(entry, status=reply.status, body=reply.body)
    if not is_for_browsers:
        return reply
    merchants, message = Merchant.objects.all(), parsed.message
    if isinstance(message, PaymentAccountRequest):
        merchants = merchants.filter(merchant_id=message.merchant_id, store_id=message.store_id)
    return replace(reply, headers=(*reply.headers, *_cors_headers(raw, merchants)))
