"""What each fault does to an exchange: one function per fault.

Each function takes the exchange and the stored fault, and returns the reply. The request is processed only if
the function calls ``exchange.reply`` or ``exchange.process``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

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


def drop_before(_exchange: Exchange, _fault: SetFault) -> Reply:
    """Close the connection without processing the request."""
    return DROPPED


def drop_after(exchange: Exchange, _fault: SetFault) -> Reply:
    """Process, then close the connection."""
    exchange.process()
    return DROPPED


def late(exchange: Exchange, fault: SetFault) -> Reply:
    """Close the connection, and process the request once the sandbox's clock has advanced."""
    delay_request(exchange.raw, exchange.conditions, by=_duration(fault, DEFAULT_LATE_DELAY))
    return DROPPED


def delay_before(exchange: Exchange, fault: SetFault) -> Reply:
    """Wait, then process and answer."""
    _wait(fault)
    return replace(exchange, conditions=current_conditions()).reply()


def delay_after(exchange: Exchange, fault: SetFault) -> Reply:
    """Process, wait, then answer."""
    reply = exchange.reply()
    _wait(fault)
    return reply


def status_before(_exchange: Exchange, fault: SetFault) -> Reply:
    """Answer an HTTP status with HTML, without processing the request."""
    return _html(fault.status or DEFAULT_STATUS)


def status_after(exchange: Exchange, fault: SetFault) -> Reply:
    """Process, then answer an HTTP status with HTML."""
    exchange.process()
    return _html(fault.status or DEFAULT_STATUS)


def error_body_unprocessed(exchange: Exchange, fault: SetFault) -> Reply:
    """Answer an error body, without processing the request."""
    return exchange.write(_error(fault), status=fault.status or DEFAULT_ERROR_STATUS)


def bare_error(exchange: Exchange, fault: SetFault) -> Reply:
    """Answer an error body that has only a code, without processing the request."""
    return exchange.write({"code": _error(fault)["code"]}, status=fault.status or DEFAULT_ERROR_STATUS)


def throttled(exchange: Exchange, fault: SetFault) -> Reply:
    """Answer 429 with ``Retry-After``, without processing the request."""
    seconds = round(_duration(fault, DEFAULT_RETRY_AFTER).total_seconds())
    refusal = Refusal("TooManyRequests", f"Come again in {seconds} seconds.")
    return _refuse(exchange, refusal, ("Retry-After", str(seconds)))


def redirected(exchange: Exchange, _fault: SetFault) -> Reply:
    """Answer 307 to a path that does not exist, without processing the request."""
    location = f"{exchange.raw.base_url}{get_script_prefix()}api/v5/moved"
    return _refuse(exchange, Refusal("Moved", f"See {location}."), ("Location", location))


def error_200(exchange: Exchange, fault: SetFault) -> Reply:
    """Process, then answer 200 with an error body."""
    exchange.process()
    return exchange.write(_error(fault))


def mixed(exchange: Exchange, fault: SetFault) -> Reply:
    """Process, then answer with result and error merged into one object, or into each object of a list."""
    _, value = exchange.process()
    error = _error(fault)
    both = [part | error for part in value] or [error] if isinstance(value, list) else value | error
    return exchange.write(both)


def not_json(exchange: Exchange, _fault: SetFault) -> Reply:
    """Process, then answer 200 with HTML."""
    exchange.process()
    return _html(200)


def wrong_shape(exchange: Exchange, _fault: SetFault) -> Reply:
    """Process, then answer 200 with JSON of another shape."""
    exchange.process()
    return exchange.write(_OTHER_SHAPE)


def empty(exchange: Exchange, _fault: SetFault) -> Reply:
    """Process, then answer 200 with an empty body."""
    exchange.process()
    return Reply()


def bad_gzip(exchange: Exchange, _fault: SetFault) -> Reply:
    """Process, then answer plain text labelled as gzip."""
    return replace(exchange.reply(), headers=(("Content-Encoding", "gzip"),))


def duplicate(exchange: Exchange, _fault: SetFault) -> Reply:
    """Process the request twice and return the second answer, like a proxy that retries."""
    exchange.process()
    return exchange.reply()


def unreadable_record(exchange: Exchange, _fault: SetFault) -> Reply:
    """Answer with an additional record: a copy of the last one without an id and with a negative amount."""
    status, value = exchange.process()
    if isinstance(value, list):
        last = value[-1] if value else {"type": "chargeback"}
        value = [*value, last | {"id": None, "transactionAmount": NumberText("-5.00")}]
    return exchange.write(value, status=status)


def drip(exchange: Exchange, fault: SetFault) -> Reply:
    """Process, then send the answer one byte at a time."""
    seconds = _duration(fault, timedelta(seconds=DRIP_SECONDS)).total_seconds()
    return replace(exchange.reply(), mode=DeliveryMode.DRIP, drip_seconds=seconds)


def _delivered(mode: DeliveryMode) -> Injector:
    """Process, then deliver the answer in the given mode."""
    return lambda exchange, _fault: replace(exchange.reply(), mode=mode)


def _with_fault_mode(fault_mode: FaultMode) -> Injector:
    """Process with the given fault mode."""
    return lambda exchange, _fault: exchange.reply(fault_mode)


def _duration(fault: SetFault, default: timedelta) -> timedelta:
    return default if fault.delay is None else fault.delay


def _wait(fault: SetFault) -> None:
    cancellable_sleep(_duration(fault, DEFAULT_WAIT).total_seconds())


def _refuse(exchange: Exchange, refusal: Refusal, header: tuple[str, str]) -> Reply:
    return exchange.write(refusal.to_wire(), status=refusal.status, headers=(header,))


def _html(status: int) -> Reply:
    return Reply(status=status, body=_HTML, content_type="text/html; charset=utf-8")


def _error(fault: SetFault) -> dict[str, Any]:
    return error_body(fault.code or FaultCode.VALIDATION, fault.message or DEFAULT_MESSAGE).to_wire()


Injector = Callable[[Exchange, SetFault], Reply]

INJECTORS: Final[dict[FaultKind, Injector]] = {
    FaultKind.DROP_BEFORE: drop_before,
    FaultKind.DROP_AFTER: drop_after,
    FaultKind.LATE: late,
    FaultKind.DELAY_BEFORE: delay_before,
    FaultKind.DELAY_AFTER: delay_after,
    FaultKind.STATUS_BEFORE: status_before,
    FaultKind.STATUS_AFTER: status_after,
    FaultKind.ERROR_BODY: error_body_unprocessed,
    FaultKind.BARE_ERROR: bare_error,
    FaultKind.THROTTLED: throttled,
    FaultKind.REDIRECTED: redirected,
    FaultKind.ERROR_200: error_200,
    FaultKind.MIXED: mixed,
    FaultKind.NOT_JSON: not_json,
    FaultKind.WRONG_SHAPE: wrong_shape,
    FaultKind.EMPTY: empty,
    FaultKind.BAD_GZIP: bad_gzip,
    FaultKind.DUPLICATE: duplicate,
    FaultKind.DRIP: drip,
    FaultKind.UNREADABLE_RECORD: unreadable_record,
    FaultKind.TRUNCATED: _delivered(DeliveryMode.TRUNCATED),
    FaultKind.RESET: _delivered(DeliveryMode.RESET),
    FaultKind.BAD_STATUS_LINE: _delivered(DeliveryMode.BAD_STATUS_LINE),
    FaultKind.ERRORED: _with_fault_mode(FaultMode.ERRORED),
    FaultKind.UNDOCUMENTED_STATE: _with_fault_mode(FaultMode.UNDOCUMENTED),
    FaultKind.PARTIAL: _with_fault_mode(FaultMode.PARTIAL),
}
"""The injector of each fault kind."""
