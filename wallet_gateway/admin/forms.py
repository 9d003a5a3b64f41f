"""The forms of confirm pages: amount, reason and comment. Errors are shown beside the field."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway.admin.amount_field import AmountField
from wallet_gateway.admin.approval_limits import hint
from wallet_gateway.admin.approval_messages import DECISIONS
from wallet_gateway.admin.operation_registry import Operation
from wallet_gateway.domain.people import ReasonCode
from wallet_gateway.payments.approvals import Decision
from wallet_gateway.protocol.money import Money

MAX_NOTE_LENGTH = 400


class OperationForm(forms.Form):
    """How much of a payment, and why."""

    field_order = ("amount", "reason", "comment")

    reason = forms.ChoiceField(label=gettext_lazy("Reason"), required=False)
    comment = forms.CharField(
        label=gettext_lazy("Note"),
        max_length=MAX_NOTE_LENGTH,
        required=False,
        widget=forms.Textarea({"rows": 3}),
    )

    def __init__(
        self, *given: Any, operation: Operation, available: Money, limit: Money | None = None, **more: Any
    ) -> None:
        super().__init__(*given, **more)
        self.operation, self.available, self.limit = operation, available, limit
        if operation.in_parts:
            self._add_amount()
        reasons = self.fields["reason"]
        assert isinstance(reasons, forms.ChoiceField)  # noqa: S101 - declared above
        reasons.choices = [("", _("No reason given")), *operation.reasons]

    def _add_amount(self) -> None:
        field = AmountField(
            available=self.available,
            left=self.operation.left,
            initial=self.available,
            help_text=hint(self.limit, self.available),
        )
        field.widget.attrs["autofocus"] = True
        self.fields["amount"] = field
        self.order_fields(self.field_order)

    def clean(self) -> dict[str, Any]:
        """Require a comment if the reason by itself says nothing."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("reason") == ReasonCode.OTHER and not cleaned.get("comment", "").strip():
            self.add_error("comment", _("Say here what the reason is."))
        return cleaned

    def refuse(self, why: str) -> None:
        """Show a refusal beside the amount field, or above the form if it has none."""
        self.add_error("amount" if "amount" in self.fields else None, why)

    @property
    def asked(self) -> Money:
        """Return the amount in the form if it is valid, otherwise the available amount."""
        self.full_clean()
        amount: Money = self.cleaned_data.get("amount", self.available)
        return amount

    @property
    def needs_second_person(self) -> bool:
        """Return whether the amount in the form is more than one person may refund without approval."""
        return self.limit is not None and self.asked.minor_units > self.limit.minor_units

    @property
    def why(self) -> dict[str, str]:
        """Return the reason code and the comment as keyword arguments for operations."""
        return {
            "reason_code": self.cleaned_data["reason"],
            "comment": self.cleaned_data["comment"].strip(),
        }


class ReasonForAll(OperationForm):
    """One reason for all rows of a page, on which each row has its own amount field."""

    def __init__(self, data: Mapping[str, object] | None, *, operation: Operation) -> None:
        nothing = Money.from_minor_units(0, "EUR")
        super().__init__(data, operation=operation, available=nothing)
        self.fields.pop("amount", None)


class DecisionForm(forms.Form):
    """A person's decision and the grounds for it."""

    decision = forms.ChoiceField(label=gettext_lazy("What happened"), widget=forms.RadioSelect)
    reason = forms.CharField(
        label=gettext_lazy("How do you know?"),
        max_length=MAX_NOTE_LENGTH,
        widget=forms.Textarea({"rows": 3}),
        help_text=gettext_lazy("For instance a ticket of the provider's support. It is kept with your name."),
    )

    def __init__(self, *given: Any, may_accept: bool, **more: Any) -> None:
        super().__init__(*given, **more)
        among = tuple(Decision) if may_accept else (Decision.DID_NOT_HAPPEN,)
        field = self.fields["decision"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
        field.choices = [(decision.value, DECISIONS[decision]) for decision in among]
        if not may_accept:
            field.initial = Decision.DID_NOT_HAPPEN.value

    def refuse(self, why: str) -> None:
        """Show beside the decision why it is not allowed."""
        self.add_error("decision", why)


class ReasonForm(forms.Form):
    """Why a discrepancy is closed or a transaction is sent again."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"), max_length=MAX_NOTE_LENGTH, widget=forms.Textarea({"rows": 3})
    )

    def refuse(self, why: str) -> None:
        """Show beside the reason why nothing was done."""
        self.add_error("reason", why)


class NoteForm(forms.Form):
    """What a person may add to a decision that speaks for itself."""

    note = forms.CharField(
        label=gettext_lazy("Note"),
        max_length=MAX_NOTE_LENGTH,
        required=False,
        widget=forms.Textarea({"rows": 3}),
    )

    def refuse(self, why: str) -> None:
        """Show above the form why nothing was done."""
        self.add_error(None, why)


class StopForm(ReasonForm):
    """Why and for how long sending is stopped."""

    field_order = ("minutes", "reason")

    minutes = forms.TypedChoiceField(
        label=gettext_lazy("How long"),
        choices=[
            ("", gettext_lazy("Until somebody resumes sending")),
            ("15", gettext_lazy("15 minutes")),
            ("60", gettext_lazy("1 hour")),
            ("240", gettext_lazy("4 hours")),
            ("1440", gettext_lazy("24 hours")),
        ],
        coerce=int,
        empty_value=None,
        required=False,
        widget=forms.RadioSelect,
    )

    @property
    def lasts(self) -> timedelta | None:
        """Return how long the stop lasts; None until a person resumes."""
        minutes = self.cleaned_data["minutes"]
        return None if minutes is None else timedelta(minutes=minutes)


class ApprovalDecisionForm(forms.Form):
    """The second person's comment, or the requester's reason to withdraw; required to decline or withdraw."""

    reason = forms.CharField(
        label=gettext_lazy("Your reason"),
        required=False,
        max_length=MAX_NOTE_LENGTH,
        widget=forms.Textarea({"rows": 3}),
        help_text=gettext_lazy("Needed to decline. It is kept with your name."),
    )

    def __init__(self, *given: Any, is_own: bool, **more: Any) -> None:
        super().__init__(*given, **more)
        if is_own:
            field = self.fields["reason"]
            field.required, field.help_text = True, _("Why you withdraw it. It is kept with your name.")

    def refuse(self, why: str) -> None:
        """Show beside the reason why nothing was done."""
        self.add_error("reason", why)
