"""Delete the orders that were tests. Nothing else deletes rows of money.

A payment in the provider's portal outlives them, so the hash of each reference is kept.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db.models import F, ForeignObjectRel, Model, ProtectedError, QuerySet, RestrictedError

from wallet_gateway.ledger.transactions import in_transaction
from wallet_gateway.models import ForgottenReference, GatewayTransaction, PaymentOrder
from wallet_gateway.models.test_rows import test_orders
from wallet_gateway.operations.maintenance.retention import is_unended

logger = logging.getLogger("wallet_gateway.operations")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenTests:
    """How many orders were tests."""

    deleted: int
    """Deleted orders; in a dry run, those that would be."""
    kept: int
    """Tests of which an attempt or operation has not ended, or that a row of the shop refers to."""


def forget_tests(gateway: str | None, *, dry_run: bool) -> ForgottenTests:
    """Delete the tests of one gateway, or of all; each order in a transaction of its own."""
    found = test_orders() if gateway is None else test_orders().filter(gateway=gateway)
    forget = _is_ended if dry_run else _forget
    done = [forget(order) for order in list(found.order_by("pk").values_list("pk", flat=True))]
    if not dry_run:
        logger.warning("deleted test orders: %d, kept: %d", sum(done), len(done) - sum(done))
    return ForgottenTests(deleted=sum(done), kept=len(done) - sum(done))


def _is_ended(order: int) -> bool:
    return not any(map(is_unended, GatewayTransaction.objects.filter(payment__order=order)))


def _forget(order: int) -> bool:
    try:
        return in_transaction(lambda: _delete_order(order))
    except (ProtectedError, RestrictedError) as error:
        # A row of the shop, such as its own order, holds it.
        logger.warning("order %d is a test and was kept: %s", order, error.args[0])
        return False


def _delete_order(order: int) -> bool:
    # Lock the order, as a new attempt to pay does, and look again: it may just have been paid.
    PaymentOrder.objects.filter(pk=order).update(version=F("version") + 1)
    if not test_orders().filter(pk=order).exists() or not _is_ended(order):
        return False
    references = GatewayTransaction.objects.filter(payment__order=order).values_list("reference", flat=True)
    hashes = [ForgottenReference(reference_hash=ForgottenReference.hash_of(each)) for each in references]
    ForgottenReference.objects.bulk_create(hashes, ignore_conflicts=True)
    _delete(PaymentOrder, [order])
    return True


def _delete(model: type[Model], keys: list[int]) -> None:
    """Delete rows, and first the plugin's rows that refer to them; `on_delete` decides about the shop's."""
    ours = set(apps.get_app_config("wallet_gateway").get_models())
    for relation in model._meta.get_fields(include_hidden=True):
        if isinstance(relation, ForeignObjectRel) and relation.related_model in ours:
            child = relation.related_model
            referring = _rows(child).filter(**{f"{relation.field.name}__in": keys})
            if found := list(referring.order_by().values_list("pk", flat=True)):
                _delete(child, found)
    _rows(model).filter(pk__in=keys).delete()


def _rows(model: type[Model]) -> QuerySet[Any]:
    """Return a model's rows without the manager that refuses changes."""
    return QuerySet(model=model)
