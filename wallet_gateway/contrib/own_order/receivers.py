"""Tell an order of the shop whenever its payment order has changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import models
from django.db import transaction as db_transaction
from django.db.models import QuerySet
from django.dispatch import receiver

from wallet_gateway.contrib.bridges import ORDER_CHANGED, log_missing
from wallet_gateway.contrib.own_order.payable_order import MODEL, PayableOrder
from wallet_gateway.models import PaymentOrder


@receiver(list(ORDER_CHANGED), dispatch_uid="wallet_gateway.contrib.own_order")
def _follow(*, order: PaymentOrder, **told: Any) -> None:
    # Of a model and its children and proxies, the one with the column.
    columns = [model for model in _payable_models() if model._meta.get_field("payment_order").model is model]
    rows_told = sum(_tell(model, order) for model in columns)
    # The mixin has stored the model's name with an order of its own; the shop may have others.
    if not rows_told and (label := told["metadata"].get(MODEL)):
        log_missing(PaymentOrder.objects.get(pk=order.pk), f"the row of {label}")


def _payable_models() -> Iterator[type[PayableOrder]]:
    return (model for model in apps.get_models() if issubclass(model, PayableOrder))


def _tell(model: type[PayableOrder], order: PaymentOrder) -> bool:
    """Call the method of the order's row, if this model has one; return whether it has."""
    with db_transaction.atomic():
        row = _locked(model, payment_order=order.pk)
        if row is None:
            return False
        for whole in _most_derived(row):
            # Read while the row is locked: of two calls at once the later one sees the later state.
            whole.payment_order = PaymentOrder.objects.get(pk=order.pk)
            whole.payment_changed(whole.payment_order.state)
        return True


def _locked(model: type[PayableOrder], **where: Any) -> PayableOrder | None:
    # A manager of the shop's may leave rows out, join others that cannot be locked, or give other classes.
    return QuerySet(model).select_for_update().filter(**where).first()


def _most_derived(row: PayableOrder) -> Iterator[PayableOrder]:
    """Yield the row as an instance of its class, whose method may be another one than its parent's.

    More than one if several children share the row; each is read when those before it were told.
    """
    model, has_child = type(row), False
    for child in _payable_models():
        link: models.Field[Any, Any] | None = child._meta.parents.get(model)
        # A proxy has no link, and a grandchild has the one of its parent.
        if link is not None and link.model is child:
            found = _locked(child, **{link.name: row.pk})
            if found is not None:
                has_child = True
                yield from _most_derived(found)
    if not has_child:
        yield row
