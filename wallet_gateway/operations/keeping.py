"""What every sweep does besides asking: it leaves its mark, so that a sweep that has stopped is noticed.

And it drops the drafts of batches that nobody has confirmed.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from wallet_gateway.models import BatchState, OperationBatch, WorkMark
from wallet_gateway.models.marks import SWEPT
from wallet_gateway.operations._transactions import in_any_transaction
from wallet_gateway.operations.context import Clock, GatewayContext
from wallet_gateway.operations.radar import watch_authorisations

DRAFTS_KEPT = timedelta(days=7)
_DRAFTS = 100
"""Drafts that one sweep drops at most: each holds some hundreds of rows."""


def keep_house(*, context: GatewayContext) -> None:
    """Do what is to be done once in a while for one gateway, and note that the sweep was here."""
    watch_authorisations(context=context)
    WorkMark.set(f"{SWEPT}{context.alias}", now=context.clock.now())


def drop_old_drafts(*, clock: Clock) -> int:
    """Drop batches that were drawn up a week ago and never confirmed; return how many.

    Nothing was sent for them. What a person has confirmed is kept.
    """
    old = OperationBatch.objects.filter(
        state=BatchState.DRAFT, created_at__lt=clock.now() - DRAFTS_KEPT
    ).values_list("pk", flat=True)[:_DRAFTS]
    return in_any_transaction(lambda: _drop(list(old)))


def _drop(drafts: Sequence[int]) -> int:
    # Locked, and once more a draft: somebody may be confirming one at this moment.
    still = OperationBatch.objects.select_for_update().filter(pk__in=drafts, state=BatchState.DRAFT)
    dropped = OperationBatch.objects.filter(pk__in=[batch.pk for batch in still])
    return dropped.delete()[1].get(OperationBatch._meta.label, 0)
