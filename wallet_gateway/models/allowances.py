"""What one account has given back within a day, for the limit per person and day."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from wallet_gateway.models.actors import LONGEST_ACCOUNT
from wallet_gateway.models.fields import ByteExactField
from wallet_gateway.models.transactions import GatewayTransaction


class Allowance(models.Model):
    """One account at one gateway in one currency: the row that lets its operations pass one by one."""

    gateway = models.CharField(max_length=32)
    account = ByteExactField(max_length=LONGEST_ACCOUNT)
    """The primary key of the account."""
    currency = models.CharField(max_length=3)
    uses_count = models.PositiveBigIntegerField(default=0)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["gateway", "account", "currency"], name="wallet_allowance_once")
        ]

    def __str__(self) -> str:
        return f"{self.account} at {self.gateway} in {self.currency}"

    @staticmethod
    def used_since(since: datetime) -> Coalesce:
        """Return what counts of a row's uses since an instant, in minor units, as a column of the row."""
        uses = AllowanceUse.that_count().filter(allowance=OuterRef("pk"), occurred_at__gt=since)
        used = uses.order_by().values("allowance").annotate(sum=Sum("amount_minor")).values("sum")
        return Coalesce(Subquery(used), 0)

    def lock(self) -> None:
        """Wait for the other operations of this account: each of them writes this row."""
        type(self).objects.filter(pk=self.pk).update(uses_count=F("uses_count") + 1)

    def has_left(self, minor: int, *, limit: int, since: datetime) -> bool:
        """Return whether an amount stays within a limit, under the lock.

        This is an UPDATE too, because with repeatable reads a SELECT would read an old snapshot.
        """
        rows = type(self).objects.alias(used=self.used_since(since))
        within = rows.filter(pk=self.pk, used__lte=limit - minor)
        return bool(within.update(uses_count=F("uses_count")))


class AllowanceUse(models.Model):
    """One refund that an account has begun, or one decision on an outcome."""

    allowance = models.ForeignKey(Allowance, on_delete=models.PROTECT, related_name="uses")
    transaction = models.ForeignKey(GatewayTransaction, on_delete=models.PROTECT, related_name="+")
    amount_minor = models.BigIntegerField()
    is_decision = models.BooleanField(default=False)
    occurred_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        indexes = [models.Index(fields=["allowance", "occurred_at"], name="wallet_allowance_use")]

    def __str__(self) -> str:
        return f"{self.amount_minor} of {self.allowance}"

    @classmethod
    def that_count(cls) -> QuerySet[AllowanceUse]:
        """Return the uses that count: not those of a refund that certainly moved nothing."""
        moved = Q(transaction__holds_reservation=True) | Q(transaction__approved_minor__isnull=False)
        return cls.objects.filter(Q(is_decision=True) | moved)
