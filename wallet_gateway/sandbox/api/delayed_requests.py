"""Work that becomes due when the sandbox's clock advances: delayed requests and expired 3-D Secure pages.

The fault ``late`` closes the connection and stores the request, encrypted because it may contain keys and
cryptograms. A middleware executes due work before each request, so no caller can see a state in which due
work is still open.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Final

from cryptography.fernet import Fernet, InvalidToken
from django.db.models import Min
from django.http import HttpRequest, HttpResponseBase

from wallet_gateway.sandbox.api.handlers import process
from wallet_gateway.sandbox.api.request_parser import RawRequest, parse_request
from wallet_gateway.sandbox.db_transactions import CachedValue, write_lock
from wallet_gateway.sandbox.models import LateRequest
from wallet_gateway.sandbox.state import Conditions, current_conditions
from wallet_gateway.sandbox.wallet.three_d_secure import expire_authentications

# The key exists only in this process: after a restart, stored requests are unreadable and are dropped.
_FERNET: Final = Fernet(Fernet.generate_key())


def _next_due_at() -> datetime | None:
    earliest: datetime | None = LateRequest.objects.aggregate(earliest=Min("due_at"))["earliest"]
    return earliest


cached_next_due_at = CachedValue(_next_due_at)
"""When the next delayed request is due; None without one."""


def delay_request(raw: RawRequest, conditions: Conditions, *, by: timedelta) -> None:
    """Store a request until the clock has advanced by a duration."""
    with write_lock():
        LateRequest.objects.create(
            due_at=conditions.now + by,
            method=raw.method,
            path=raw.path[:2000],
            sealed=_encrypt(raw),
        )
        cached_next_due_at.invalidate()


def execute_due_requests() -> None:
    """Execute all due requests in the order of their due times, and end expired 3-D Secure pages."""
    expire_authentications()
    due_at = cached_next_due_at.get()
    if due_at is None or due_at > current_conditions().now:
        return
    with write_lock():
        conditions = current_conditions()
        cached_next_due_at.invalidate()
        for late in LateRequest.objects.filter(due_at__lte=conditions.now).order_by("due_at", "pk"):
            late.delete()
            if (raw := _decrypt(bytes(late.sealed))) is not None:
                process(parse_request(raw), conditions, base_url=raw.base_url)


def _encrypt(raw: RawRequest) -> bytes:
    values = asdict(raw) | {"body": base64.b64encode(raw.body).decode()}
    return _FERNET.encrypt(json.dumps(values).encode())


def _decrypt(sealed: bytes) -> RawRequest | None:
    try:
        values = json.loads(_FERNET.decrypt(sealed))
    except InvalidToken:
        return None
    return RawRequest(**values | {"body": base64.b64decode(values["body"])})


class DelayedRequestsMiddleware:
    """Executes due work before each request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Execute due work, then call the view."""
        execute_due_requests()
        return self.get_response(request)
