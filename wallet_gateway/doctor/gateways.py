"""What a gateway tells without moving money: one status query about a reference that nobody has."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from django.utils import timezone

from wallet_gateway.client.errors import GatewayError, NotSent, OutcomeUnknown, Refused
from wallet_gateway.client.exchange import Exchange
from wallet_gateway.doctor.findings import Finding, bad, doubtful, good
from wallet_gateway.doctor.host import CLOCK_MAY_DIFFER_SECONDS
from wallet_gateway.gateways import context_of

_ABOUT_US = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}


def look_at_gateway(alias: str) -> Iterator[Finding]:
    """Ask one harmless question: is it there, does it know us, and what time is it there."""
    subject, context = f"gateway {alias}", context_of(alias)
    if not context.policy.sending:
        yield doubtful(subject, "SENDING_ENABLED is False in the settings: nothing new is sent")
    exchange: Exchange | None
    try:
        answer = context.gateway.status(context.new_reference())
    except GatewayError as error:
        exchange = error.exchange
        yield _failed(subject, error)
    else:
        exchange = answer.exchange
        milliseconds = round(answer.exchange.elapsed_seconds * 1000)
        yield good(subject, f"reached, and it takes our credentials; it answered in {milliseconds} ms")
    yield from _clock(subject, exchange.date if exchange else "", timezone.now())


def _failed(subject: str, error: GatewayError) -> Finding:
    if isinstance(error, NotSent):
        return bad(subject, f"cannot be reached: {error}", "See BASE_URL, the network and certificates.")
    if isinstance(error, Refused) and error.http_status in _ABOUT_US:
        advice = "See MERCHANT_ID, STORE_ID, USER_ID and AUTH."
        return bad(subject, f"reached, but it does not take our credentials: {error}", advice)
    if isinstance(error, OutcomeUnknown) and error.retry_after is not None:
        return doubtful(subject, f"reached, but it wants to be left alone: {error}")
    return bad(subject, f"reached, but it does not answer as agreed: {error}", "See BASE_URL and PATHS.")


def _clock(subject: str, date: str, now: datetime) -> Iterator[Finding]:
    try:
        there = parsedate_to_datetime(date)
    except ValueError:
        return
    ahead = ((there if there.tzinfo else there.replace(tzinfo=UTC)) - now).total_seconds()
    if abs(ahead) > CLOCK_MAY_DIFFER_SECONDS:
        advice = "Run a time service on this machine: certificates and leases depend on its clock."
        yield doubtful("clock", f"{subject} is {ahead:+.0f} s off this machine", advice)
    else:
        yield good("clock", f"agrees with {subject} within {CLOCK_MAY_DIFFER_SECONDS:.0f} s")
