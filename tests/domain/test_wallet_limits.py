"""How often one order's button may be used."""

from __future__ import annotations

from wallet_gateway.domain.wallet_limits import WalletLimit, WalletLimits


def test_each_raise_adds_one_full_allowance() -> None:
    limits = WalletLimits(results=7)
    assert [limits.maximum(WalletLimit.RESULTS, raised=raised) for raised in range(3)] == [7, 14, 21]


def test_other_limits_are_not_reached_before_the_cards_are() -> None:
    limits = WalletLimits()
    assert limits.authorizations < min(limits.results, limits.sessions, limits.attempts)
    assert limits.sessions < limits.attempts
