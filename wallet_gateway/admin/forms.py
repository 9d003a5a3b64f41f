"""The forms of confirm pages: amount, reason and comment. Errors are shown beside the field.

An amount has no grouping, and a period or a comma before the decimals. Some read `1.234` and `1,234` as more
than a thousand, others as a little more than one, so these are refused, with both readings and how to write
each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from babel.numbers import get_decimal_symbol
from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway.admin.operation_registry import Operation, hint
from wallet_gateway.domain.people import NEEDS_NOTE
from wallet_gateway.formats import active_locale, format_money
from wallet_gateway.payments.approvals import Decision
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.errors import InvalidAmount
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import without_bidi_controls

_AMOUNT = re.compile(r"\d+(?:[.,\N{ARABIC DECIMAL SEPARATOR}]\d+)?")
_TWO_READINGS = re.compile(r"(\d{1,3})[.,](\d{3})")


class AmountField(forms.CharField):
    """An amount of one currency, above zero and at most `available`; `clean` returns `Money`."""

    def __init__(self, *, available: Money, left: Any, **more: Any) -> None:  # noqa: ANN401 - text, may be lazy
        # An amount is written from left to right in every script.
        widget = forms.TextInput({"inputmode": "decimal", "autocomplete": "off", "dir": "ltr", "size": 16})
        super().__init__(label=gettext_lazy("Amount"), max_length=32, widget=widget, **more)
        self.available, self.left = available, left
        self.error_messages["required"] = _how_to_write(available.currency)

    def clean(self, value: Any) -> Money:  # noqa: ANN401 - as Django's
        """Return the amount; raise `ValidationError` unless it is above zero and at most what there is."""
        amount = read_amount(super().clean(value), self.available.currency)
        if amount.minor_units > self.available.minor_units:
            raise forms.ValidationError(
                _("This is more than there is. %(left)s: %(available)s.")
                % {"left": self.left, "available": format_money(self.available)}
            )
        return amount

    def prepare_value(self, value: Any) -> Any:  # noqa: ANN401 - Money at first, then what was typed
        """Return the text that the field shows."""
        return amount_text(value) if isinstance(value, Money) else value


def amount_text(money: Money) -> str:
    """Return an amount as the field shows and reads it: `1234.50`, `1234,50`; of three decimals `1.2340`."""
    text = money.to_wire().replace(".", get_decimal_symbol(active_locale()))
    return f"{text}0" if _TWO_READINGS.fullmatch(text) else text


def read_amount(text: str, currency: str) -> Money:
    """Return the amount that a person has written; raise `ValidationError` unless all read the same in it."""
    plain = without_bidi_controls(text).strip()
    if (found := _TWO_READINGS.fullmatch(plain)) and int(found[1]):
        raise forms.ValidationError(_both_readings(plain, *found.groups(), currency=currency))
    try:
        if not _AMOUNT.fullmatch(plain):
            raise InvalidAmount
        amount = Money.parse(Decimal(re.sub(r"[^\d]", ".", plain)), currency, allow_zero=True)
    except InvalidAmount as error:
        raise forms.ValidationError(_how_to_write(currency)) from error
    if not amount.minor_units:
        raise forms.ValidationError(_("The amount must be above zero."))
    return amount


def _both_readings(text: str, whole: str, rest: str, *, currency: str) -> str:
    many = Money.parse(Decimal(whole + rest), currency)
    words = {"text": text, "large": format_money(many), "write_large": amount_text(many)}
    try:
        few = Money.parse(Decimal(f"{whole}.{rest}"), currency)
    except InvalidAmount:
        return _(
            "“%(text)s” can be read as %(large)s, or as an amount with three decimals, which %(currency)s "
            "does not have. If you mean %(large)s, write %(write_large)s."
        ) % {**words, "currency": currency}
    return _(
        "“%(text)s” can be read as %(large)s or as %(small)s. Write %(write_large)s for the first, "
        "%(write_small)s for the second."
    ) % {**words, "small": format_money(few), "write_small": amount_text(few)}


def _how_to_write(currency: str) -> str:
    exponent = currency_exponent(currency)
    example = amount_text(Money.from_minor_units(1234 * 10**exponent + 5 * (exponent > 0), currency))
    words = {"example": example, "currency": currency, "decimals": exponent}
    if not exponent:
        return _("Write an amount in %(currency)s, which has no decimals, like this: %(example)s.") % words
    return (
        _("Write an amount in %(currency)s with at most %(decimals)d decimals, like this: %(example)s.")
        % words
    )


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
            amount = AmountField(
                available=available,
                left=operation.left,
                initial=available,
                help_text=hint(limit, available),
            )
            amount.widget.attrs["autofocus"] = True
            self.fields["amount"] = amount
            self.order_fields(self.field_order)
        reasons = self.fields["reason"]
        assert isinstance(reasons, forms.ChoiceField)  # noqa: S101 - declared above
        reasons.choices = [("", _("No reason given")), *operation.reasons]

    def clean(self) -> dict[str, Any]:
        """Require a comment if the reason by itself says nothing."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("reason") in NEEDS_NOTE and not cleaned.get("comment", "").strip():
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


DECISIONS = {
    Decision.DID_NOT_HAPPEN: gettext_lazy("It did not happen; free its amount"),
    Decision.DID_HAPPEN: gettext_lazy("It did happen, as the gateway reports it"),
}
"""The decisions that a person may make on an outcome."""


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
