"""What the clock makes due: requests that were held back, and 3-D Secure that nobody finished in time.

A request is held back when its caller was cut off. It is kept encrypted: it may carry keys and cryptograms.

Nobody can look at the sandbox without sending it something, so they are carried out before anything else is.
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
from wallet_gateway.sandbox.api.request_parser import Received, understand
from wallet_gateway.sandbox.db_transactions import Remembered, one_writer
from wallet_gateway.sandbox.models import LateRequest
from wallet_gateway.sandbox.state import Conditions, current_conditions
from wallet_gateway.sandbox.wallet.three_d_secure import expire_authentications

# What an earlier process held back cannot be read any more, and is as lost as its caller.
_FERNET: Final = Fernet(Fernet.generate_key())


def _earliest() -> datetime | None:
    earliest: datetime | None = LateRequest.objects.aggregate(earliest=Min("due_at"))["earliest"]
    return earliest


remembered_due_at = Remembered(_earliest)
"""When the next late request is due, as long as none comes or goes."""


def hold_back(received: Received, conditions: Conditions, *, by: timedelta) -> None:
    """Keep a request until the clock has moved on by that much."""
    with one_writer():
        LateRequest.objects.create(
            due_at=conditions.now + by,
            method=received.method,
            path=received.path[:2000],
            sealed=_sealed(received),
        )
        remembered_due_at.forget()


def carry_out_due() -> None:
    """Carry out every request whose time has come, in the order of their times, and end what expired."""
    expire_authentications()
    due_at = remembered_due_at.get()
    if due_at is None or due_at > current_conditions().now:
        return
    with one_writer():
        conditions = current_conditions()
        remembered_due_at.forget()
        for late in LateRequest.objects.filter(due_at__lte=conditions.now).order_by("due_at", "pk"):
            late.delete()
            if (received := _opened(bytes(late.sealed))) is not None:
                process(understand(received), conditions, base_url=received.base_url)


def _sealed(received: Received) -> bytes:
    values = asdict(received) | {"body": base64.b64encode(received.body).decode()}
    return _FERNET.encrypt(json.dumps(values).encode())


def _opened(sealed: bytes) -> Received | None:
    try:
        values = json.loads(_FERNET.decrypt(sealed))
    except InvalidToken:
        return None
    return Received(**values | {"body": base64.b64decode(values["body"])})


class LateRequestsMiddleware:
    """Brings the books up to date before a request is looked at."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Carry out what is due, then pass the request on."""
        carry_out_due()
        return self.get_response(request)
