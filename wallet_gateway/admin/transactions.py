"""Transactions in the admin: the list, the page of one, and the events, for users who may view them."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from wallet_gateway import conf, gateways, payments
from wallet_gateway.admin.badges import state_column
from wallet_gateway.admin.batches import query_many
from wallet_gateway.admin.decisions import DecidePage, SendAgainPage, mark_refusal_seen
from wallet_gateway.admin.filters import ChoiceFilter, CountedDayFilter, CountedFilter
from wallet_gateway.admin.operation_registry import reason_in_words
from wallet_gateway.admin.pages import log_change, marked, page_url, visible_body
from wallet_gateway.admin.permissions import person_of
from wallet_gateway.admin.read_only import (
    MAX_LISTED_ROWS,
    AmountsPaginator,
    ReadOnlyAdmin,
    SummedList,
    datetime_column,
    exact_money,
    label_column,
    link_column,
    money_to_sum,
    text_column,
)
from wallet_gateway.admin.tasks import requests_of, tasks_of
from wallet_gateway.domain.states import LifecycleEvent, TransactionState
from wallet_gateway.models import GatewayTransaction, TransactionEvent
from wallet_gateway.models.decisions import OF_KIND
from wallet_gateway.models.fields import label_of
from wallet_gateway.protocol.text import visible
from wallet_gateway.reports.search import events_found, transactions_found
from wallet_gateway.reports.work import left_to_person, orphaned, unattended, unseen_refusals

OCCURRED_AT = datetime_column("occurred_at", _("occurred at"))


@admin.register(TransactionEvent)
class TransactionEventAdmin(ReadOnlyAdmin):
    """The append-only event log, redacted before it was stored."""

    finder = staticmethod(events_found)
    search_help_text = _("Beginning of a transaction's reference; or whole: an order's reference")
    of_transaction = link_column("transaction", _("transaction"))
    list_display = (
        OCCURRED_AT,
        "of_transaction",
        label_column("get_kind_display", _("kind")),
        "event",
        "state_afterwards",
        label_column("http_status", _("HTTP status")),
        text_column("created_by", _("author")),
    )
    list_select_related = ("transaction",)
    fields = readonly_fields = (  # type: ignore[assignment]
        OCCURRED_AT,
        "of_transaction",
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


class UnseenRefusals(ChoiceFilter):
    """Filter for operations that were refused afterwards and that nobody has seen yet."""

    title = _("refused afterwards")
    parameter_name = "refused"
    ways = {"unseen": (_("Not seen yet"), unseen_refusals)}


class WaitsFor(ChoiceFilter):
    """Filter for what has not ended: by who has to go on with it."""

    title = _("waits for")
    parameter_name = "waits"
    ways = {
        "person": (_("A person"), left_to_person),
        "nobody": (_("Nobody goes on with it"), lambda: unattended(gateways.clock().now())),
        "gateway": (
            _("A gateway that the settings do not name"),
            lambda: orphaned(conf.settings().gateways),
        ),
    }


@admin.register(GatewayTransaction)
class GatewayTransactionAdmin(ReadOnlyAdmin):
    """Transactions and their results."""

    paginator = AmountsPaginator
    finder = staticmethod(transactions_found)
    search_help_text = _(
        "Beginning of a reference; or whole: an order's reference, the gateway's or the provider's id"
    )
    order = link_column("payment.order", _("order"))
    of_deposit = link_column("deposit", _("migrated deposit"))
    list_display = (
        "name",
        state_column(_("state")),
        money_to_sum(_("amount")),
        "kind",
        "order",
        text_column("created_by", _("author")),
        datetime_column("created_at", _("created at")),
    )
    list_filter = ("state", "kind", CountedDayFilter, CountedFilter, "origin", UnseenRefusals, WaitsFor)
    when_empty = _("There is no transaction yet. The first one appears when a customer goes to pay an order.")
    actions = ("query_many", "mark_seen_many")
    pages: ClassVar = {
        "send_again": ("<int:transaction_id>/send-again/", SendAgainPage.view),
        "refusal_seen": ("<int:transaction_id>/refusal-seen/", mark_refusal_seen),
        "decide": ("<int:transaction_id>/decide/", DecidePage.view),
    }
    list_select_related = ("payment__order", "deposit")
    fields = readonly_fields = (  # type: ignore[assignment]
        "reference",
        "order",
        "of_deposit",
        "kind",
        "origin",
        label_column("gateway", _("gateway")),
        exact_money("amount", _("amount")),
        exact_money("approved_amount", _("approved amount")),
        exact_money("excess", _("above the limit")),
        "state",
        label_column("state_changed_at", _("in this state since")),
        text_column("explanation", _("explanation")),
        text_column("record_id", _("the gateway's id")),
        text_column("provider_transaction_id", _("the provider's id")),
        text_column("provider_state", _("the provider's state")),
        text_column("error_code", _("error code")),
        label_column("approved_at", _("approved at")),
        label_column("attempt_no", _("times it was sent")),
        label_column("query_count", _("times the gateway was asked")),
        label_column("absent_count", _("answers in a row that ended nothing")),
        label_column("last_queried_at", _("last asked at")),
        label_column("next_query_at", _("to be asked at")),
        label_column("next_send_at", _("to be sent again at")),
        label_column("refusal_unseen_since", _("refused afterwards, not seen since")),
        text_column("refusal_seen_by", _("refusal seen by")),
        label_column("refusal_seen_at", _("refusal seen at")),
        text_column("created_by", _("author")),
        "stated_reason",
        label_column("created_at", _("created at")),
    )

    changelist_class = SummedList

    @admin.action(description=_("Ask the gateway about the selected transactions"), permissions=["view"])
    def query_many(
        self, request: HttpRequest, transactions: QuerySet[GatewayTransaction]
    ) -> HttpResponse | None:
        """Query the status of what the selected transactions belong to and redirect to the results."""
        rows = transactions.select_related("payment__order", "deposit").iterator()
        subjects = (row.payment.order if row.payment is not None else row.deposit for row in rows)
        return query_many(request, filter(None, subjects))

    @admin.action(description=_("Mark the selected refusals as seen"), permissions=["view"])
    def mark_seen_many(
        self, request: HttpRequest, transactions: QuerySet[GatewayTransaction]
    ) -> HttpResponse:
        """Mark those that the current user may, and show what is left: a permission belongs to a kind."""
        allowed = [kind for kind, permission in OF_KIND.items() if request.user.has_perm(permission)]
        unseen = transactions.filter(unseen_refusals(), kind__in=allowed)
        rows = list(unseen[:MAX_LISTED_ROWS])
        for transaction in rows:
            payments.follow_ups.mark_refusal_seen(transaction, by=person_of(request))
            log_change(request.user, transaction, gettext("Refusal seen."))
        self.message_user(request, gettext("Marked as seen: %(count)d.") % {"count": len(rows)})
        left = page_url(request, "gatewaytransaction_changelist")
        return HttpResponseRedirect(f"{left}?{UnseenRefusals.parameter_name}=unseen")

    @admin.display(description=_("reference"), ordering="reference")
    def name(self, row: GatewayTransaction) -> str:
        """Return the reference, marked where it is a test."""
        return marked(row.reference, row)

    @admin.display(description=_("note"))
    def stated_reason(self, row: GatewayTransaction) -> str:
        """Return the reason and comment of the user who requested it."""
        return visible(reason_in_words(row.reason_code, row.comment) or "-")

    def page_context(self, request: HttpRequest, row: GatewayTransaction) -> dict[str, Any]:
        """Add what the current user may do about the transaction now."""
        asked = requests_of(row.approvals.select_related("subject"), request)
        return {"tasks": tuple(tasks_of([row], request)), "requests": tuple(asked)}
