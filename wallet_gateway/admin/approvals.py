"""Approval requests in the admin: the list of operations that need a second person."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _

from wallet_gateway.admin.approval_decision import decision_page
from wallet_gateway.admin.approval_messages import url_of, what_is_asked
from wallet_gateway.admin.badges import state_column
from wallet_gateway.admin.permissions import APPROVE, OF_KIND, RESOLVE, has_permission
from wallet_gateway.admin.read_only import OwnPageAdmin, datetime_column, link_column, money, text_column
from wallet_gateway.models import Approval


@admin.register(Approval)
class ApprovalAdmin(OwnPageAdmin):
    """Approval requests: what was requested, by whom, and what the second person decided."""

    list_display = (
        "what",
        link_column("payment.order", _("order")),
        money("amount", _("amount")),
        text_column("created_by", _("author")),
        state_column(_("state")),
        text_column("decided_by", _("second person")),
        datetime_column("created_at", _("created at")),
    )
    list_filter = ("state",)
    list_select_related = ("payment__order", "deposit")
    search_fields = ()
    when_empty = _(
        "Nobody has asked for a second person. A request appears here when somebody refunds more than one "
        "person may alone."
    )

    @admin.display(description=_("asked for"))
    def what(self, row: Approval) -> str:
        """Return what the request is for."""
        return what_is_asked(row)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return whether the user may view requests; those who may make or approve them may view them too."""
        makes = any(
            has_permission(request, permission) for permission in {*OF_KIND.values(), RESOLVE, APPROVE}
        )
        return makes or super().has_view_permission(request, obj)

    def get_urls(self) -> list[URLPattern]:
        """Add the page of a request before Django's own URLs."""
        name = "wallet_gateway_approval_decide"
        return [
            path("<int:approval_id>/decide/", self.staff_view(decision_page), name=name),
            *super().get_urls(),
        ]

    def page_of(self, row: Approval) -> str:
        """Return the URL of the page that shows a request and takes the second person's decision."""
        return url_of(row)
