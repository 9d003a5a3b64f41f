"""Deposits of an earlier provider, in the admin: what each was, and what has been given back of it."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from wallet_gateway.admin.read_only import ReadOnlyAdmin, labelled, money, seen, unbroken
from wallet_gateway.models import MigratedDeposit
from wallet_gateway.protocol.money import Money
from wallet_gateway.queries.search import deposits_found


@admin.register(MigratedDeposit)
class MigratedDepositAdmin(ReadOnlyAdmin):
    """What a migration file has brought, and what was refunded without one."""

    finder = staticmethod(deposits_found)
    search_help_text = _("The whole reference that the migration gave it")
    list_display = (
        seen("parent_transaction_id", _("parent transaction id")),
        labelled("gateway", _("gateway")),
        "deposited",
        "refunded_since",
        money("refundable", _("left to refund")),
        labelled("frozen", _("frozen"), boolean=True),
        labelled("created_at", _("created at")),
    )
    fields = readonly_fields = (  # type: ignore[assignment]
        seen("parent_transaction_id", _("parent transaction id")),
        labelled("gateway", _("gateway")),
        labelled("known", _("told by a migration file"), boolean=True),
        "deposited",
        "refunded_earlier",
        "refunded_since",
        "reserved",
        money("refundable", _("left to refund")),
        labelled("frozen", _("frozen"), boolean=True),
        labelled("transacted_at", _("paid at")),
        seen("provider_transaction_id", _("the earlier provider's id")),
        labelled("created_at", _("created at")),
    )

    @admin.display(description=_("amount"))
    def deposited(self, row: MigratedDeposit) -> str:
        """Return what was paid; unknown where no migration file told."""
        return "?" if row.amount_minor is None else _units(row, row.amount_minor)

    @admin.display(description=_("refunded by the earlier provider"))
    def refunded_earlier(self, row: MigratedDeposit) -> str:
        """Return what was given back before the migration."""
        return _units(row, row.refunded_before)

    @admin.display(description=_("refunded"))
    def refunded_since(self, row: MigratedDeposit) -> str:
        """Return what was given back since."""
        return _units(row, row.refunded)

    @admin.display(description=_("under way"))
    def reserved(self, row: MigratedDeposit) -> str:
        """Return what is being given back."""
        return _units(row, row.refund_reserved)


def _units(row: MigratedDeposit, minor: int) -> str:
    return unbroken(Money.from_minor_units(minor, row.currency))
