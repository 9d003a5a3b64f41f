"""Log lines: one for one event, whatever a gateway, a receiver or a database has to say."""

from __future__ import annotations

import json
import logging

import pytest
from django.db import IntegrityError

from tests.operations.conftest import Pay, VirtualClock
from tests.operations.dying import scripted
from wallet_gateway import signals
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.maintenance import sweep as sweeping
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling import due
from wallet_gateway.operations.settlement.row_errors import failure
from wallet_gateway.operations.settlement.status_updates import StatusUpdate

HOSTILE = "no\r\nERROR forged: paid\u2028\u202e\x1b[2J" + "x" * 5000


def test_a_failure_is_named_by_its_classes_and_places_and_never_by_its_text() -> None:
    try:
        try:
            raise KeyError(HOSTILE)
        except KeyError as error:
            raise IntegrityError("Failing row contains (ada@example.com)") from error
    except IntegrityError as error:
        line = failure(error)
    assert line.startswith("IntegrityError from KeyError at test_row_errors.py:")
    assert "ada" not in line
    assert "forged" not in line


def test_a_failure_that_was_never_raised_has_a_line_too() -> None:
    assert failure(ValueError("x")) == "ValueError at an unknown place"


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    formatted = [logging.Formatter().format(r) for r in caplog.records if r.name.startswith("wallet_gateway")]
    assert formatted
    return formatted


def assert_tame(caplog: pytest.LogCaptureFixture) -> None:
    for line in lines(caplog):
        assert line.isprintable(), line
        assert len(line) < 500


@pytest.mark.django_db
def test_what_a_gateway_says_makes_one_line(
    pay: Pay, context: GatewayContext, clock: VirtualClock, caplog: pytest.LogCaptureFixture
) -> None:
    pay("return")
    clock.advance(seconds=80)
    said = json.dumps({"code": "1", "details": {"message": HOSTILE}})
    sweep(context=scripted(context, said.encode(), status=400))
    assert "no usable answer about" in lines(caplog)[0]
    assert_tame(caplog)


@pytest.mark.django_db
def test_a_row_that_cannot_be_handled_makes_one_line_without_the_row(
    pay: Pay,
    context: GatewayContext,
    clock: VirtualClock,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pay("return")
    clock.advance(seconds=80)

    def refuse(*_: object, **__: object) -> StatusUpdate:
        raise IntegrityError(f"a CHECK says no\nDETAIL: Failing row contains (ada@example.com, {HOSTILE})")

    monkeypatch.setattr(due, "record_status_result", refuse)
    assert sweeping.sweep(context=context).queried == 1
    assert_tame(caplog)
    assert "ada@" not in caplog.text


@pytest.mark.django_db
def test_a_receiver_that_fails_makes_one_line(pay: Pay, caplog: pytest.LogCaptureFixture) -> None:
    def ship(**_: object) -> None:
        raise ValueError(HOSTILE)

    signals.order_paid.connect(ship)
    try:
        pay()
    finally:
        signals.order_paid.disconnect(ship)
    assert "ValueError at" in lines(caplog)[-1]
    assert "test_row_errors.py" in lines(caplog)[-1]
    assert_tame(caplog)
