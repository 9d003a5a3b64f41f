"""What each fault does to the exchange that it hits."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from django.urls import get_script_prefix

from wallet_gateway.protocol.faults import FaultCode, error_body
from wallet_gateway.protocol.strict_json import NumberText
from wallet_gateway.sandbox.api.delayed_requests import delay_request
from wallet_gateway.sandbox.api.exchange import DROPPED, Exchange, Reply
from wallet_gateway.sandbox.api.faults import FaultKind
from wallet_gateway.sandbox.models import SetFault
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.server.delivery import DRIP_SECONDS, DeliveryMode, cancellable_sleep
from wallet_gateway.sandbox.state import FaultMode, current_conditions

DEFAULT_WAIT: Final = timedelta(seconds=5)
DEFAULT_LATE_DELAY: Final = timedelta(seconds=60)
DEFAULT_RETRY_AFTER: Final = timedelta(seconds=30)
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
    match FaultKind(fault.fault):
        # The request is not processed, or not yet.
        case FaultKind.DROP_BEFORE:
            return DROPPED
        case FaultKind.LATE:
            delay_request(exchange.raw, exchange.conditions, by=_duration(fault, DEFAULT_LATE_DELAY))
            return DROPPED
        case FaultKind.STATUS_BEFORE:
            return _html(fault.status or DEFAULT_STATUS)
        case FaultKind.ERROR_BODY:
            return exchange.write(error, status=fault.status or DEFAULT_ERROR_STATUS)
        case FaultKind.BARE_ERROR:
            return exchange.write({"code": error["code"]}, status=fault.status or DEFAULT_ERROR_STATUS)
        case FaultKind.THROTTLED:
            seconds = round(_duration(fault, DEFAULT_RETRY_AFTER).total_seconds())
            refusal = Refusal("TooManyRequests", f"Come again in {seconds} seconds.")
            return _refuse(exchange, refusal, ("Retry-After", str(seconds)))
        case FaultKind.REDIRECTED:
            location = f"{exchange.raw.base_url}{get_script_prefix()}api/v5/moved"
            return _refuse(exchange, Refusal("Moved", f"See {location}."), ("Location", location))
        case FaultKind.DELAY_BEFORE:
            cancellable_sleep(_duration(fault, DEFAULT_WAIT).total_seconds())
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
        case FaultKind.ERRORED:
            return exchange.reply(FaultMode.ERRORED)
        case FaultKind.UNDOCUMENTED_STATE:
            return exchange.reply(FaultMode.UNDOCUMENTED)
        case FaultKind.PARTIAL:
            return exchange.reply(FaultMode.PARTIAL)
        # Its answer is late or damaged on the way.
        case FaultKind.DELAY_AFTER:
            reply = exchange.reply()
            cancellable_sleep(_duration(fault, DEFAULT_WAIT).total_seconds())
            return reply
        case FaultKind.BAD_GZIP:
            return replace(exchange.reply(), headers=(("Content-Encoding", "gzip"),))
        case FaultKind.DRIP:
            drip_seconds = _duration(fault, timedelta(seconds=DRIP_SECONDS)).total_seconds()
            return replace(exchange.reply(), mode=DeliveryMode.DRIP, drip_seconds=drip_seconds)
        case FaultKind.TRUNCATED:
            return replace(exchange.reply(), mode=DeliveryMode.TRUNCATED)
        case FaultKind.RESET:
            return replace(exchange.reply(), mode=DeliveryMode.RESET)
        case FaultKind.BAD_STATUS_LINE:
            return replace(exchange.reply(), mode=DeliveryMode.BAD_STATUS_LINE)


def _duration(fault: SetFault, default: timedelta) -> timedelta:
    return default if fault.delay is None else fault.delay


def _refuse(exchange: Exchange, refusal: Refusal, header: tuple[str, str]) -> Reply:
    return exchange.write(refusal.to_wire(), status=refusal.status, headers=(header,))


def _html(status: int) -> Reply:
    return Reply(status=status, body=_HTML, content_type="text/html; charset=utf-8")
