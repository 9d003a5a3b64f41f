"""Work that becomes due when the sandbox's clock advances: delayed requests and expired 3-D Secure pages.

The fault ``late`` closes the connection and stores the request, encrypted because it may contain keys and
cryptograms. Due work is executed before each request, so no caller can see a state in which it is still open.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from typing import Final

from cryptography.fernet import Fernet, InvalidToken
from django.http import HttpRequest, HttpResponseBase

from wallet_gateway.sandbox.api.exchange import Exchange
from wallet_gateway.sandbox.api.request_parser import RawRequest, parse_request
from wallet_gateway.sandbox.db_transactions import write_lock
from wallet_gateway.sandbox.models import LateRequest, SandboxState
from wallet_gateway.sandbox.state import Conditions, current_conditions, note_due
from wallet_gateway.sandbox.wallet.three_d_secure import expire_authentications, waiting_authentications

# The key exists only in this process: after a restart, stored requests are unreadable and are dropped.
_FERNET: Final = Fernet(Fernet.generate_key())


def delay_request(raw: RawRequest, conditions: Conditions, *, by: timedelta) -> None:
    """Store a request until the clock has advanced by a duration."""
    values = asdict(raw) | {"body": base64.b64encode(raw.body).decode()}
    with write_lock():
        note_due(conditions.now + by)
        LateRequest.objects.create(
            due_at=conditions.now + by,
            method=raw.method,
            path=raw.path[:2000],
            sealed=_FERNET.encrypt(json.dumps(values).encode()),
        )


def execute_due_requests() -> Conditions:
    """Execute all due requests in the order of their due times, and end expired 3-D Secure pages.

    Returns the conditions under which they were executed.
    """
    conditions = current_conditions()
    next_due_at = conditions.behaviour.next_due_at
    if next_due_at is None or next_due_at > conditions.now:
        return conditions
    with write_lock():
        expire_authentications(conditions.now)
        for late in LateRequest.objects.filter(due_at__lte=conditions.now).order_by("due_at", "pk"):
            late.delete()
            try:
                values = json.loads(_FERNET.decrypt(bytes(late.sealed)))
            except InvalidToken:
                continue
            raw = RawRequest(**values | {"body": base64.b64decode(values["body"])})
            Exchange(raw=raw, parsed=parse_request(raw), conditions=conditions).process()
        next_due = (
            LateRequest.objects.order_by("due_at").values_list("due_at", flat=True).first(),
            waiting_authentications().values_list("expires_at", flat=True).first(),
        )
        SandboxState.objects.update(next_due_at=min(filter(None, next_due), default=None))
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
