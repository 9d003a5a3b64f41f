"""The calm after a run: no more faults, the provider decides, and time goes on until nothing moves."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from proof.chaos.gateway_steps import HONEST
from proof.chaos.merchant_steps import resume_everywhere
from proof.chaos.shop import Shop
from wallet_gateway import payments
from wallet_gateway.domain.states import TransactionState
from wallet_gateway.models import GatewayTransaction, OperationBatch
from wallet_gateway.models.batches import BatchState
from wallet_gateway.testing.control import SandboxRefused

_PERSON: Final = "anna"
_HOURS: Final = (0, 1, 1, 2, 25, 25, 200)
"""What the schedules need: leases, ends of pages, a day of silence, a week of asking again."""
_MOST_SWEEPS: Final = 30


def settle_down(shop: Shop) -> int:
    """Let everything that still can end come to its end; return the number of sweeps."""
    shop.control.clear_faults()
    shop.control.behaviour(**HONEST)
    resume_everywhere(_PERSON)
    _stop_batches(shop)
    sweeps = 0
    for hours in _HOURS:
        shop.move_clocks(hours * 3600 + 1.0)
        sweeps += _sweep_until_quiet()
        _let_provider_decide(shop)
    return sweeps


def _stop_batches(shop: Shop) -> None:
    """Nobody drives a batch any more: what it has begun counts, the rest is left out."""
    unfinished = [BatchState.RUNNING, BatchState.PAUSED, BatchState.DRAFT]
    for batch in OperationBatch.objects.filter(state__in=unfinished):
        with suppress(payments.errors.OperationError):
            payments.batches.stop(batch, by=shop.people[_PERSON])


def _sweep_until_quiet() -> int:
    for number in range(1, _MOST_SWEEPS):
        if not any(report.did_something for report in payments.sweep()):
            return number
    return _MOST_SWEEPS


def _let_provider_decide(shop: Shop) -> None:
    for row in GatewayTransaction.objects.filter(state=TransactionState.PENDING):
        with suppress(SandboxRefused):
            shop.control.settle_pending(row.reference, "success", **shop.named(row.gateway))
