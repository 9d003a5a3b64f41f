"""The alarm of a pause: after the commit, and a receiver that fails keeps nobody from it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.nameless_receivers import nameless
from wallet_gateway.models import GatewayPause, PauseCode
from wallet_gateway.operations.settlement.pause_signals import announce_pause, announce_resumption

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
