"""Refuse to delete an order of the shop whose payment is not decided: nobody would hear of its money."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import islice
from typing import Any, Final

from django.db import models
from django.db.models import Exists, F, OuterRef, ProtectedError, QuerySet

from wallet_gateway.domain.polling_schedule import may_still_pay
from wallet_gateway.domain.states import OPENING_KINDS, OrderState, TransactionState
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder

WITHOUT_MONEY: Final = frozenset({OrderState.CANCELLED, OrderState.REFUNDED})
"""States of a released order; in any other, a payment came after the release."""

_TOLD: Final = frozenset({OrderState.PAID, OrderState.PART_REFUNDED, OrderState.REFUNDED})
"""States after which nothing comes that the shop does not do itself, once no other page can be paid."""

_AT_ONCE = 500
_MOST_NAMED = 5


# It is generic in the stubs only.
class DeletionGuard(models.Field):  # type: ignore[type-arg]
    """A field without a column, which Django asks for what is to be deleted with a row.

    Unlike a receiver of `pre_delete` it is asked before the admin lets its user confirm, and the admin shows
    what is protected. It looks like a generic foreign key, which has no column either.
    """

    many_to_many, many_to_one, one_to_many, one_to_one = False, True, False, False

    def __init__(self) -> None:
        super().__init__(editable=False)
        self.is_relation = True

    def contribute_to_class(self, cls: type[models.Model], name: str, private_only: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002
        """Add the field as one that has no column; reading it from a row gives None."""
        super().contribute_to_class(cls, name, private_only=True)
        setattr(cls, self.name, None)

    def get_attname_column(self) -> tuple[str, Any]:
        """Return the name alone: there is no column."""
        return self.get_attname(), None

    def is_cached(self, instance: models.Model) -> bool:  # noqa: ARG002
        """Return False: Django keeps no related object of it."""
        return False

    def bulk_related_objects(self, objs: Sequence[models.Model], using: str) -> Sequence[models.Model]:
        """Return nothing to delete with the rows; raise `ProtectedError` if a payment is not decided."""
        rows = iter(objs)
        while some := list(islice(rows, _AT_ONCE)):
            if undecided := _undecided(type(some[0]), [row.pk for row in some], using):
                names = ", ".join(str(order.reference) for order in undecided[:_MOST_NAMED])
                words = (
                    f"Cannot delete orders whose payment is not decided: {names}. Call cancel_payment, and "
                    "delete them when is_released; capture, return or reverse the money that they hold first."
                )
                raise ProtectedError(words, set(undecided))
        return ()


def _undecided(model: type[models.Model], keys: Collection[Any], using: str) -> list[PaymentOrder]:
    """Return the payment orders of rows that may still be paid, or hold money that waits for a decision."""
    linked: QuerySet[Any, Any] = QuerySet(model, using=using).filter(pk__in=keys).values("payment_order")
    # Nobody was shown a page or a button of the others.
    begun = Exists(Payment.objects.filter(order=OuterRef("pk")))
    orders = list(PaymentOrder.objects.using(using).filter(begun, pk__in=linked))
    told = [order.pk for order in orders if order.state in _TOLD]
    openings = GatewayTransaction.objects.using(using).filter(payment__order__in=told, kind__in=OPENING_KINDS)
    others = openings.exclude(state=TransactionState.APPROVED).annotate(order_key=F("payment__order"))
    # Those that another page or button may still pay.
    open_ones = {
        one.order_key for one in others if may_still_pay(one.poll_state, has_page=bool(one.redirect_url))
    }
    return [order for order in orders if not _is_decided(order, open_ones)]


def _is_decided(order: PaymentOrder, open_ones: Collection[int]) -> bool:
    if order.is_released and order.state in WITHOUT_MONEY:
        return True
    return order.state in _TOLD and order.pk not in open_ones
