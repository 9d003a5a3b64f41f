"""What was asked of the gateway, in the admin: the list of intents, the page of one, and the decisions."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _

from wallet_gateway.admin.decisions import decide, send_again
from wallet_gateway.admin.order_page import tasks_of
from wallet_gateway.admin.read_only import ReadOnlyAdmin, labelled, linked, money, seen
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.queries.search import intents_found


@admin.register(GatewayTransaction)
class GatewayTransactionAdmin(ReadOnlyAdmin):
    """Intents, each with what became of it."""

    finder = staticmethod(intents_found)
    search_help_text = _("Beginning of a reference; or whole: an order's reference, the gateway's id")
    list_display = (
        "reference",
        linked("payment.order", _("order")),
        "kind",
        money("amount", _("amount")),
        "state",
        seen("author", _("author")),
        labelled("created_at", _("created at")),
    )
    list_filter = ("state", "kind")
    list_select_related = ("payment__order",)
    fields = readonly_fields = (  # type: ignore[assignment]
        "reference",
        linked("payment.order", _("order")),
        linked("deposit", _("migrated deposit")),
        "kind",
        labelled("gateway", _("gateway")),
        money("amount", _("amount")),
        money("approved_amount", _("approved amount")),
        "state",
        labelled("state_since", _("in this state since")),
        seen("detail", _("detail")),
        seen("record_id", _("the gateway's id")),
        seen("provider_state", _("the provider's state")),
        seen("error_code", _("error code")),
        labelled("attempt_no", _("times it was sent")),
        labelled("query_count", _("times the gateway was asked")),
        labelled("absent_count", _("answers in a row with no record")),
        labelled("last_queried_at", _("last asked at")),
        labelled("next_query_at", _("to be asked at")),
        labelled("next_send_at", _("to be sent again at")),
        seen("author", _("author")),
        seen("note", _("note")),
        labelled("created_at", _("created at")),
    )

    def get_urls(self) -> list[URLPattern]:
        """Add the pages of decisions before those of Django."""
        name = "wallet_gateway_gatewaytransaction"
        own = [
            path("<int:intent_id>/send-again/", self.acting(send_again), name=f"{name}_send_again"),
            path("<int:intent_id>/decide/", self.acting(decide), name=f"{name}_decide"),
        ]
        return own + super().get_urls()

    def page_context(self, request: HttpRequest, row: GatewayTransaction) -> dict[str, Any]:
        """Add what the person may do about it now."""
        return {"tasks": tuple(tasks_of([row], request))}
