"""The part of a batch's page on which a second person agrees to the whole batch, or declines it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from wallet_gateway import gateways
from wallet_gateway.admin.admin_log import log_change
from wallet_gateway.admin.forms import ApprovalDecisionForm
from wallet_gateway.admin.permissions import APPROVE, has_permission, is_own_request, person_of
from wallet_gateway.admin.refusal_text import refusal_text
from wallet_gateway.admin.sums import sums_in_words
from wallet_gateway.models import OperationBatch
from wallet_gateway.payments import batches
from wallet_gateway.payments.errors import OperationError


@dataclass(kw_only=True)
class BatchApproval:
    """What the current user sees and may do of a batch that waits for a second person."""

    request: HttpRequest
    batch: OperationBatch
    is_own: bool = field(init=False)
    form: ApprovalDecisionForm = field(init=False)

    def __post_init__(self) -> None:
        self.is_own = is_own_request(self.request, self.batch)
        self.form = ApprovalDecisionForm(self.request.POST or None, is_own=self.is_own)

    @property
    def may_decide(self) -> bool:
        """Return whether the user may agree or decline; who started it may only stop it."""
        return not self.is_own and has_permission(self.request, APPROVE)

    @property
    def until(self) -> datetime | None:
        """Return when nobody can agree any more."""
        return self.batch.expires_at

    @cached_property
    def sums(self) -> str:
        """Return the sum of the batch in each currency."""
        return sums_in_words(batches.sums(self.batch))

    def decide(self) -> bool:
        """Carry out the submitted decision; return False if the form says why not."""
        if not self.may_decide:
            raise PermissionDenied
        if not self.form.is_valid():
            return False
        declines, reason = "decline" in self.request.POST, self.form.cleaned_data["reason"]
        verb = batches.decline if declines else batches.approve
        try:
            verb(self.batch, by=person_of(self.request), reason=reason)
        except OperationError as error:
            self.form.refuse(refusal_text(error, gateway=""))
            return False
        done = _("Declined: %(reason)s") if declines else _("Agreed to the whole batch. %(reason)s")
        log_change(self.request, self.batch, (done % {"reason": reason}).strip())
        return True


def approval_of(request: HttpRequest, batch: OperationBatch) -> BatchApproval | None:
    """Return the part of the page; None if the batch does not wait for a second person."""
    waits = batch.is_waiting(gateways.clock().now())
    return BatchApproval(request=request, batch=batch) if waits else None
