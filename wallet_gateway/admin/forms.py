"""The forms of confirm pages: amount, reason and comment. Errors are shown beside the field.

An amount has no grouping, and a period or a comma before the decimals. Some read `1.234` and `1,234` as more
than a thousand, others as a little more than one, so these are refused, with both readings and how to write
each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from babel.numbers import get_decimal_symbol
from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway.admin.operation_registry import Operation, hint
from wallet_gateway.domain.people import NEEDS_NOTE
from wallet_gateway.formats import active_locale, format_money
from wallet_gateway.models import MigratedDeposit, PaymentOrder
from wallet_gateway.payments.approvals import Decision
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.errors import InvalidAmount
from wallet_gateway.protocol.money import MAX_UNITS, Money
from wallet_gateway.protocol.text import visible, without_bidi_controls

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

_AMOUNT = re.compile(r"\d+(?:[.,\N{ARABIC DECIMAL SEPARATOR}]\d+)?")
_TWO_READINGS = re.compile(r"(\d{1,3})[.,](\d{3})")


class AmountField(forms.CharField):
    """An amount of one currency, above zero and at most `available`; `clean` returns `Money`."""

    def __init__(self, available: Money, left: Any, **more: Any) -> None:  # noqa: ANN401 - text, may be lazy
        # An amount is written from left to right in every script.
        widget = forms.TextInput({"inputmode": "decimal", "autocomplete": "off", "dir": "ltr", "size": 16})
        super().__init__(label=gettext_lazy("Amount"), max_length=32, widget=widget, **more)
        self.available, self.left, self.unit = available, left, available.currency
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


def note_field(label: StrOrPromise, **more: Any) -> forms.CharField:
    """Return a field for some lines of text."""
    return forms.CharField(
        label=label, max_length=MAX_NOTE_LENGTH, widget=forms.Textarea({"rows": 3}), **more
    )


def cleaned(form: forms.Form, name: str, *, otherwise: Any) -> Any:  # noqa: ANN401 - of any field
    """Return the value of a field; another one where the form was not submitted, or is wrong there."""
    # Reading `errors` cleans the form.
    return form.cleaned_data.get(name, otherwise) if form.is_bound and form.errors is not None else otherwise


class OperationForm(forms.Form):
    """How much of a payment, unless each row of the page has its own amount, and why."""

    def __init__(
        self,
        data: Mapping[str, Any] | None,
        *,
        operation: Operation,
        available: Money | None = None,
        limit: Money | None = None,
    ) -> None:
        super().__init__(data)
        if operation.in_parts and available is not None:
            words = hint(limit, available)
            amount = AmountField(available, operation.left, initial=available, help_text=words)
            amount.widget.attrs["autofocus"] = True
            self.fields["amount"] = amount
        reasons = [("", _("No reason given")), *operation.reasons]
        self.fields["reason"] = forms.ChoiceField(label=_("Reason"), required=False, choices=reasons)
        self.fields["comment"] = note_field(_("Note"), required=False)

    def clean(self) -> dict[str, Any]:
        """Require a comment if the reason by itself says nothing."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("reason") in NEEDS_NOTE and not cleaned.get("comment", "").strip():
            self.add_error("comment", _("Say here what the reason is."))
        return cleaned

    @property
    def why(self) -> dict[str, str]:
        """Return the reason code and the comment as keyword arguments for operations."""
        return {
            "reason_code": self.cleaned_data["reason"],
            "comment": self.cleaned_data["comment"].strip(),
        }


class RowForm(forms.Form):
    """One row of a page for many: whether it is ticked, and its amount; no field where it is not possible."""

    def __init__(
        self,
        data: Mapping[str, Any] | None,
        *,
        key: int,
        subject: PaymentOrder | MigratedDeposit,
        url: str,
        operation: Operation,
        left: Money | None,
        limit: Money | None,
        why_not: str,
    ) -> None:
        super().__init__(data, prefix=str(key))
        self.subject, self.url, self.operation = subject, url, operation
        self.left, self.limit, self.why_not = left, limit, why_not
        if why_not:
            return
        box = forms.CheckboxInput({"aria-label": visible(subject)})
        self.fields["take"] = forms.BooleanField(required=False, initial=True, widget=box)
        if operation.in_parts:
            available = left or Money.from_minor_units(MAX_UNITS, subject.currency)
            words = hint(limit, left)
            amount = AmountField(available, operation.left, initial=left, help_text=words)
            label = _("Amount in %(currency)s for %(order)s")
            label %= {"currency": subject.currency, "order": visible(subject)}
            amount.widget.attrs.update({"size": 12, "aria-label": label})
            self.fields["amount"] = amount

    def add_prefix(self, field_name: str) -> str:
        """Return the name of a field: `amount-7`."""
        return f"{field_name}-{self.prefix}"

    def clean(self) -> dict[str, Any]:
        """Ask for no amount where the row is not ticked."""
        cleaned = super().clean() or self.cleaned_data
        if not cleaned.get("take"):
            self.errors.pop("amount", None)
        return cleaned

    @property
    def asked(self) -> Money | None:
        """Return what is asked for this row; None if nothing is."""
        if self.why_not or not cleaned(self, "take", otherwise=True):
            return None
        amount: Money | None = self.left
        if self.operation.in_parts and self.is_bound:
            amount = cleaned(self, "amount", otherwise=None)
        return amount

    @property
    def shown_left(self) -> str:
        """Return what is left in the reader's language."""
        return _("only the gateway knows") if self.left is None else format_money(self.left)


DECISIONS = {
    Decision.DID_NOT_HAPPEN: gettext_lazy("It did not happen; free its amount"),
    Decision.DID_HAPPEN: gettext_lazy("It did happen, as the gateway reports it"),
}
"""The decisions that a person may make on an outcome."""


class DecisionForm(forms.Form):
    """A person's decision and the grounds for it."""

    def __init__(self, data: Mapping[str, Any] | None, *, may_accept: bool) -> None:
        super().__init__(data)
        among = tuple(Decision) if may_accept else (Decision.DID_NOT_HAPPEN,)
        self.fields["decision"] = forms.ChoiceField(
            label=_("What happened"),
            widget=forms.RadioSelect,
            choices=[(decision.value, DECISIONS[decision]) for decision in among],
            initial=None if may_accept else Decision.DID_NOT_HAPPEN.value,
        )
        words = _("For instance a ticket of the provider's support. It is kept with your name.")
        self.fields["reason"] = note_field(_("How do you know?"), help_text=words)


class ReasonForm(forms.Form):
    """Why something is done."""

    reason = note_field(gettext_lazy("Reason"))


class NoteForm(forms.Form):
    """What a person may add to a decision that speaks for itself."""

    note = note_field(gettext_lazy("Note"), required=False)


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


class ApprovalDecisionForm(forms.Form):
    """The second person's comment, or the requester's reason to withdraw; required to decline or withdraw."""

    def __init__(self, data: Mapping[str, Any] | None, *, is_own: bool) -> None:
        super().__init__(data)
        words = _("Needed to decline. It is kept with your name.")
        if is_own:
            words = _("Why you withdraw it. It is kept with your name.")
        self.fields["reason"] = note_field(_("Your reason"), required=is_own, help_text=words)
