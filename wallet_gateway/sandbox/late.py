"""Requests that are carried out late: their callers were cut off, and the clock must reach their time.

Nobody can look at the sandbox without sending it something, so they are carried out before anything else is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, fields
from datetime import datetime, timedelta

from django.db.models import Min
from django.http import HttpRequest, HttpResponseBase

from wallet_gateway.sandbox.conditions import Conditions, current_conditions
from wallet_gateway.sandbox.models import LateRequest
from wallet_gateway.sandbox.processing import process
from wallet_gateway.sandbox.remembered import Remembered
from wallet_gateway.sandbox.understanding import Received, understand
from wallet_gateway.sandbox.writing import one_writer


def _earliest() -> datetime | None:
    earliest: datetime | None = LateRequest.objects.aggregate(earliest=Min("due_at"))["earliest"]
    return earliest


remembered_due_at = Remembered(_earliest)
"""When the next late request is due, as long as none comes or goes."""


def hold_back(received: Received, conditions: Conditions, *, by: timedelta) -> None:
    """Keep a request until the clock has moved on by that much."""
    with one_writer():
        LateRequest.objects.create(due_at=conditions.now + by, **asdict(received))
        remembered_due_at.forget()


def carry_out_due() -> None:
    """Carry out every request whose time has come, in the order of their times."""
    due_at = remembered_due_at.get()
    if due_at is None or due_at > current_conditions().now:
        return
    with one_writer():
        conditions = current_conditions()
        remembered_due_at.forget()
        for late in LateRequest.objects.filter(due_at__lte=conditions.now).order_by("due_at", "pk"):
            late.delete()
            received = Received(**{field.name: getattr(late, field.name) for field in fields(Received)})
            process(understand(received), conditions, base_url=received.base_url)


class LateRequestsMiddleware:
    """Brings the books up to date before a request is looked at."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Carry out what is due, then pass the request on."""
        carry_out_due()
        return self.get_response(request)
