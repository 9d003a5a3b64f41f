"""Above which amounts it takes two."""

from __future__ import annotations

import pytest

from wallet_gateway.domain.approval_policy import ApprovalPolicy

LIMITS = ApprovalPolicy(limits={"EUR": 500, "JPY": 0})


@pytest.mark.parametrize(("minor", "needed"), [(499, False), (500, False), (501, True)])
def test_the_limit_itself_takes_one_person(minor: int, needed: bool) -> None:
    assert LIMITS.is_needed(minor, "EUR") is needed


@pytest.mark.parametrize("currency", ["JPY", "USD"])
def test_zero_and_a_currency_that_was_forgotten_always_take_two(currency: str) -> None:
    assert LIMITS.is_needed(1, currency)
