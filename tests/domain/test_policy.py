"""How a gateway is treated when nothing is said: the cautious reading."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from wallet_gateway.domain.policy import GatewayPolicy


def test_every_default_is_the_cautious_reading() -> None:
    policy = GatewayPolicy()
    assert policy.redirect_hosts == frozenset()
    assert not policy.allow_plain_http
    assert not policy.shares_references
    assert 0 < policy.query_rate <= 5


def test_a_policy_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        GatewayPolicy().sending = False  # type: ignore[misc]
