"""What happens at the gateway and to time: the portal, decisions of the provider, moods, clocks."""

from __future__ import annotations

from typing import Any, Final

from proof.chaos.outcomes import DONE, NOTHING_TO_DO
from proof.chaos.plan import Step
from proof.chaos.shop import Shop
from wallet_gateway.domain.states import TransactionState
from wallet_gateway.protocol.money import Money

_BEHAVIOUR: Final[dict[str, dict[str, Any]]] = {
    "duplicates=execute": {"duplicates": "execute"},
    "duplicates=replay": {"duplicates": "replay"},
    "duplicates=reject": {"duplicates": "reject"},
    "lag=0": {"status_lag_seconds": 0},
    "lag=8": {"status_lag_seconds": 8},
    "lag=120": {"status_lag_seconds": 120},
    "lag=4000": {"status_lag_seconds": 4000},
    "another_card=1": {"another_card": True},
    "another_card=0": {"another_card": False},
    "numeric_amounts=1": {"numeric_amounts": True},
    "letter_case=lower": {"letter_case": "lower"},
    "letter_case=canonical": {"letter_case": "canonical"},
}
HONEST: Final[dict[str, Any]] = {
    "duplicates": "reject",
    "status_lag_seconds": 0,
    "another_card": False,
    "letter_case": "canonical",
}
"""The behaviour while the books are compared."""


def portal(shop: Shop, step: Step) -> str:
    """Capture, refund or reverse outside the shop, in the provider's portal."""
    found = shop.payments(step)
    if not found:
        return NOTHING_TO_DO
    payment = found[step.which % len(found)]
    is_whole = step.choice == "ecom.reversalPreauthorization" or step.amount is None
    minor = payment.authorized if is_whole else max(payment.authorized // 4, 1)
    amount = Money.from_minor_units(minor, payment.currency).to_wire()
    shop.control.portal(payment.reference, step.choice, amount, **shop.named(payment.order.gateway))
    return DONE


def settle_pending(shop: Shop, step: Step) -> str:
    """Let the provider decide what it has kept pending."""
    pending = [row for row in shop.transactions(step) if row.state == TransactionState.PENDING]
    if not pending:
        return NOTHING_TO_DO
    row = pending[step.which % len(pending)]
    shop.control.settle_pending(row.reference, step.choice, **shop.named(row.gateway))
    return DONE


def time(_shop: Shop, _step: Step) -> str:
    """Let time pass, which every step does before it begins."""
    return DONE


def gateway_clock(shop: Shop, step: Step) -> str:
    """Let the gateway's clock run ahead of the shop's a little."""
    if not shop.clock.is_standing:
        shop.control.advance_clock(step.seconds)
    return DONE


def behaviour(shop: Shop, step: Step) -> str:
    """Change what the gateway does where the interface is silent."""
    shop.control.behaviour(**_BEHAVIOUR[step.choice])
    return DONE
