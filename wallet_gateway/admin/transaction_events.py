"""Transaction events in the admin: requests, responses and decisions, for users who may view them."""

from __future__ import annotations

from django.contrib import admin
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from wallet_gateway.admin.read_only import (
    ReadOnlyAdmin,
    datetime_column,
    label_column,
    link_column,
    text_column,
)
from wallet_gateway.admin.visible_text import visible_body
from wallet_gateway.domain.states import LifecycleEvent, TransactionState
from wallet_gateway.models import TransactionEvent
from wallet_gateway.models.fields import label_of
from wallet_gateway.reports.search import events_found

OCCURRED_AT = datetime_column("occurred_at", _("occurred at"))


@admin.register(TransactionEvent)
class TransactionEventAdmin(ReadOnlyAdmin):
    """The append-only event log, redacted before it was stored."""

    finder = staticmethod(events_found)
    search_help_text = _("Beginning of a transaction's reference; or whole: an order's reference")
    list_display = (
        OCCURRED_AT,
        link_column("transaction", _("transaction")),
        label_column("get_kind_display", _("kind")),
        "event",
        "state_afterwards",
        label_column("http_status", _("HTTP status")),
        text_column("created_by", _("author")),
    )
    list_select_related = ("transaction",)
    fields = readonly_fields = (  # type: ignore[assignment]
        OCCURRED_AT,
        link_column("transaction", _("transaction")),
        label_column("get_kind_display", _("kind")),
        "event",
        "state_afterwards",
        label_column("get_discrepancy_kind_display", _("difference")),
        text_column("explanation", _("explanation")),
        label_column("http_status", _("HTTP status")),
        label_column("elapsed_ms", _("milliseconds")),
        text_column("created_by", _("author")),
        "request",
        "answer",
    )

    when_empty = _("Nothing was sent to a gateway yet. Each request and each answer will be a row here.")

    @admin.display(description=_("event"))
    def event(self, row: TransactionEvent) -> str | Promise:
        """Return the name of what happened to the transaction; `-` if the row changed nothing."""
        return label_of(LifecycleEvent(row.lifecycle_event)) if row.lifecycle_event else "-"

    @admin.display(description=_("state afterwards"))
    def state_afterwards(self, row: TransactionEvent) -> str | Promise:
        """Return the name of the transaction's state after the event."""
        return label_of(TransactionState(row.state_after))

    @admin.display(description=_("request"))
    def request(self, row: TransactionEvent) -> str:
        """Return the request, redacted."""
        return visible_body(row.request_body) or "-"

    @admin.display(description=_("answer"))
    def answer(self, row: TransactionEvent) -> str:
        """Return the response, redacted."""
        return visible_body(row.answer_body) or "-"
