"""The alarm of a pause: after the commit, and a receiver that fails keeps nobody from it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.nameless_receivers import Nameless, between_two, nameless
from wallet_gateway.models import GatewayPause, PauseCode
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.sending.emergency_stop import resume_sending, stop_sending
from wallet_gateway.operations.settlement.pause_signals import announce_pause, announce_resumption
from wallet_gateway.signals import sending_paused, sending_resumed

__all__ = ["nameless"]
pytestmark = pytest.mark.django_db
UNTIL = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def test_nothing_is_said_before_the_commit(
    heard: list[dict[str, Any]], django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    with django_capture_on_commit_callbacks() as waiting:
        announce_pause("default", until=UNTIL, code=PauseCode.RETRY_AFTER, reason="rate limit")
        announce_resumption("default", by="anna", reason="checked")
        assert heard == []
    for say in waiting:
        say()
    assert [(said["sender"], said["gateway"]) for said in heard] == [(GatewayPause, "default")] * 2
    assert (heard[0]["until"], heard[0]["code"], heard[0]["by"]) == (UNTIL, PauseCode.RETRY_AFTER, "")
    assert (heard[1]["by"], heard[1]["reason"]) == ("anna", "checked")


def test_a_receiver_that_fails_keeps_no_other_from_hearing_it(
    heard: list[dict[str, Any]], django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    def fail(**_given: object) -> None:
        raise ConnectionRefusedError

    sending_paused.connect(fail)
    with django_capture_on_commit_callbacks(execute=True):
        announce_pause("default", until=None, code=None, reason="drill", by="anna")
    assert len(heard) == 1


@pytest.mark.django_db(transaction=True)
def test_a_stop_and_its_end_take_effect_although_a_receiver_without_a_name_raises(
    nameless: Nameless, context: GatewayContext
) -> None:
    with between_two(sending_paused, nameless) as heard:
        assert stop_sending(context=context, by="anna", reason="drill").stopped_at is not None
    with between_two(sending_resumed, nameless) as heard_of_the_end:
        assert resume_sending(context=context, by="anna", reason="over").stopped_at is None
    assert heard == heard_of_the_end == ["first", "last"]
