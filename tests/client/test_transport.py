"""The client to an application in this process: what holds over a socket holds here, too."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from tests.client.applications import Application
from tests.client.calls import ACCOUNT, CALLS, ERROR
from tests.tables import every
from wallet_gateway.client.errors import (
    BadAnswer,
    OutcomeUnknown,
    Refused,
    UnknownReason,
)
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.testing import InProcessTransport

SECRET = "hunter2-and-more"


def reach(application: Application, **options: Any) -> Gateway:
    transport = InProcessTransport(application, base_url="http://127.0.0.1/base", **options)
    return Gateway(account=ACCOUNT, transport=transport)


@every(
    ("application", "error", "reason"),
    [
        (Application(ERROR, status="422 No"), Refused, None),
        (Application(ERROR, status="500 Error"), OutcomeUnknown, UnknownReason.SERVER_ERROR),
        (Application(b"", status="302 Found"), OutcomeUnknown, UnknownReason.REDIRECT),
        (Application(ERROR, status="429 Slow"), OutcomeUnknown, UnknownReason.RATE_LIMITED),
        (Application(b"<html>", status="403 No"), OutcomeUnknown, UnknownReason.FOREIGN_ANSWER),
        (Application(b'{"state": "App'), BadAnswer, UnknownReason.UNREADABLE),
        (Application(b"1" * 600), OutcomeUnknown, UnknownReason.TOO_LARGE),
        (Application(headers=(("Content-Length", "400"),)), OutcomeUnknown, UnknownReason.CONNECTION_LOST),
        (Application(headers=(("Content-Encoding", "gzip"),)), OutcomeUnknown, UnknownReason.BAD_ENCODING),
        (Application(headers=(("Content-Encoding", "br"),)), OutcomeUnknown, UnknownReason.BAD_ENCODING),
        (
            Application(gzip.compress(b"1" * 600), headers=(("Content-Encoding", "gzip"),)),
            OutcomeUnknown,
            UnknownReason.TOO_LARGE,
        ),
        (Application(error=KeyError(SECRET)), OutcomeUnknown, None),
    ],
    ids=[
        *("refused", "500", "302", "429", "403", "cut JSON", "too large", "cut off", "no gzip", "br", "bomb"),
        "crash",
    ],
)
def test_a_bad_answer_is_what_is_known_and_the_request_is_made_once(
    application: Application, error: type[Exception], reason: UnknownReason | None
) -> None:
    gateway = reach(application, max_answer_bytes=500)
    with pytest.raises(error) as failure:
        CALLS["follow_up"][0](gateway)
    assert type(failure.value) is error
    assert reason is None or failure.value.reason == reason  # type: ignore[attr-defined]
    assert SECRET not in str(failure.value)
    assert len(application.requests) == 1
