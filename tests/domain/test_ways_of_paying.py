"""The ways of paying."""

from __future__ import annotations

from wallet_gateway.domain.lifecycle import OPENING_KINDS
from wallet_gateway.domain.ways_of_paying import WAY_OF, Way


def test_each_kind_that_opens_a_payment_is_a_way_of_its_own() -> None:
    assert WAY_OF.keys() == set(OPENING_KINDS)
    assert sorted(WAY_OF.values()) == sorted(Way)
