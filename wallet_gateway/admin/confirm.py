"""The one confirm page: what a person reads before something is done, and what comes of confirming it.

Money moves only by a button that names the amount. A page submitted with another amount than its button
names comes back with a button that names the new one.

However often a page that moves money is submitted, there is one operation: its ticket contains the key, and
the database stores a key only once. A page that was opened before something changed says so instead.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.core import signing
from django.core.exceptions import ImproperlyConfigured
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.utils.html import format_html
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway import payments
from wallet_gateway.admin.forms import OperationForm, ReasonForm, RowForm, cleaned, read_amount
from wallet_gateway.admin.operation_registry import (
    BY_SLUG,
    CAPTURE,
    REVERSE,
    Operation,
    limit_of,
    limit_of_day,
    reason_in_words,
    smallest,
    sums_in_words,
    sums_of,
    what_was_named,
)
from wallet_gateway.admin.pages import (
    TOO_OLD,
    NotDone,
    changed_since,
    gateway_of,
    log_change,
    mark_of,
    page_url,
    refusal_text,
    render_page,
    row_name,
    row_url,
    sentence_of,
    show_status,
    signed,
    visible_request,
)
from wallet_gateway.admin.permissions import person_of, require_permission
from wallet_gateway.admin.tasks import Button, Label, sentence_of_request
from wallet_gateway.domain.error_codes import STATE_CHANGED
from wallet_gateway.formats import format_money
from wallet_gateway.models import GatewayTransaction, MigratedDeposit, Payment, PaymentOrder
from wallet_gateway.payments.errors import AwaitingApproval, InvalidState, OperationError
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import visible

_SALT = "wallet_gateway.admin.confirm"


class ConfirmPage:
    """One request for a confirm page: to show it, or to do what was submitted.

    A subclass finds its rows in `__init__`, says in `describe` what is shown, and does in `act` what is
    confirmed.
    """

    title: Label
    verb: Label
    """The button."""
    unnamed: Label = ""
    """What a script writes on a button that no longer names the amount; empty where it names none."""
    unlike_named: Label = ""
    """What is said on a page that comes back because its button named something else."""
    back_label: Label = gettext_lazy("Cancel")
    head = ""
    facts: Sequence[tuple[Label, object]] = ()
    explanation: Label = ""
    hints: Sequence[Label] = ()
    whole = ""
    """The amount that is given back as a whole only; empty where it can be in parts."""
    why_not: Label = ""
    """Why there is no form; empty if there is one."""
    instead: Button | None = None
    """The act that is rather meant."""
    rows: Sequence[RowForm] = ()
    request_body = ""
    may_preview = False

    def __init__(
        self,
        site: AdminSite,
        request: HttpRequest,
        permission: str,
        row: Model | None,
        *,
        place: Model | type[Model],
    ) -> None:
        """Let in who has the permission; `row` is what the page is about, the page of `place` leads here."""
        require_permission(request, permission)
        self.site, self.request, self.row, self.place = site, request, row, place
        self.by, self.key = person_of(request), ""
        self.posted: QueryDict | None = request.POST if request.method == "POST" else None

    # What a subclass says

    form_class: Callable[..., forms.Form] = ReasonForm

    @cached_property
    def form(self) -> forms.Form:
        """The fields, with what was submitted."""
        return self.form_class(self.posted)

    def describe(self) -> None:
        """Set what the page shows now."""

    def act(self) -> None:
        """Do what was confirmed, and tell and log it; raise `NotDone` if it was not done."""
        raise NotImplementedError

    def named(self) -> str:
        """Return what the button names, the same in every language; the button sends it back."""
        return ""

    def shown(self) -> Any:  # noqa: ANN401 - what JSON can say
        """Return what must still be so when the page is submitted; None if the page needs no ticket."""
        return None

    def is_checked(self) -> bool:
        """Return whether that is checked for what was submitted."""
        return self.shown() is not None

    def changed(self) -> str:
        """Return what is said if what was shown is no longer so."""
        return InvalidState(*STATE_CHANGED).message

    def is_done(self) -> bool:
        """Return whether this page was submitted before."""
        return False

    def is_valid(self) -> bool:
        """Return whether everything can be taken as it was submitted."""
        return self.form.is_valid()

    def mark(self) -> dict[str, bool]:
        """Return whether the page is of a test."""
        return mark_of([] if self.row is None else [self.row])

    # What is the same for all

    @classmethod
    def view(cls, *given: Any, **key: Any) -> HttpResponse:
        """Handle a request."""
        return cls(*given, **key).answer()

    def answer(self) -> HttpResponse:
        """Show the page, or do what was submitted."""
        if self.posted is None or "preview" in self.posted:
            return self._page()
        try:
            shown = self._read_ticket() if self.is_checked() else self.shown()
            # The rows were read before this: what used this key since then is found here.
            if not self.is_done():
                if shown != self.shown():
                    raise NotDone(self.changed())
                if not self.is_valid():
                    return self._page()
                if self.posted.get("confirm", "") != self.named():
                    return self._page(is_renamed=True)
                self.act()
            return HttpResponseRedirect(self.done_url)
        except AwaitingApproval as waiting:
            assert isinstance(self.place, Model)  # noqa: S101 - only an operation on one row asks for it
            log_change(self.request.user, self.place, sentence_of_request(waiting.approval, write=str))
            messages.warning(self.request, sentence_of_request(waiting.approval))
            return HttpResponseRedirect(self.back)
        except NotDone as error:
            why = str(error)
        except (OperationError, ImproperlyConfigured) as error:
            why = refusal_text(error, gateway=gateway_of(self.row) if self.row is not None else "")
        self.form.errors.clear()
        self.form.add_error(None, why)
        if self.row is not None and self.row.pk is not None:
            self.row.refresh_from_db()
        return self._page()

    def _read_ticket(self) -> Any:  # noqa: ANN401 - as `shown`
        """Note the key of the submitted page and return what it showed; raise `NotDone` if it is another."""
        try:
            self.key, *made_for, shown = signed(self.request.POST.get("ticket", ""), salt=_SALT)
        except (TypeError, ValueError) as error:
            raise NotDone(TOO_OLD) from error
        if made_for != self._made_for:
            raise NotDone(_("This page was made for somebody or something else. Look at it again."))
        return shown

    @property
    def ticket(self) -> str:
        """What this page was made for, signed, with the key of its operation; empty if it needs none."""
        if (shown := self.shown()) is None:
            return ""
        key = f"page-{secrets.token_urlsafe(16)}"
        return signing.dumps([key, *self._made_for, shown], salt=_SALT)

    @property
    def _made_for(self) -> list[str]:
        return [str(self.request.user.pk), self.request.get_full_path()]

    def buttons(self) -> list[tuple[str, str, Label, str]]:
        """Return the name, value, text and style of each button."""
        return [("confirm", self.named(), self.verb, "quiet" if self.instead else "")]

    @property
    def back(self) -> str:
        """The page that leads to this one."""
        return row_url(self.request, self.place) if isinstance(self.place, Model) else self._list_url

    @property
    def done_url(self) -> str:
        """The page that tells what was done."""
        return self.back

    @property
    def trail(self) -> list[tuple[str, str]]:
        """The addresses and names of the pages above this one."""
        above = [(self._list_url, capfirst(str(self.place._meta.verbose_name_plural)))]
        return [*above, (self.back, row_name(self.place))] if isinstance(self.place, Model) else above

    @property
    def _list_url(self) -> str:
        return page_url(self.request, f"{self.place._meta.model_name}_changelist")

    def _page(self, *, is_renamed: bool = False) -> HttpResponse:
        self.describe()
        context = {"title": self.title, "page": self, "form": self.form, "is_renamed": is_renamed}
        return render_page(self.site, self.request, "confirm.html", {**context, **self.mark()})


# One payment


class OperationPage(ConfirmPage):
    """The page that captures, refunds or reverses one payment."""

    row: Payment
    unnamed = gettext_lazy("Check the amount")

    def __init__(
        self, site: AdminSite, request: HttpRequest, order_id: int, payment_id: int, slug: str
    ) -> None:
        if slug not in BY_SLUG:
            raise Http404
        operation = self.operation = BY_SLUG[slug]
        payment = Payment.objects.select_related("order").filter(pk=payment_id).first()
        # Compared here: SQLite refuses a foreign key of more than 64 bits; a primary key is found nowhere.
        if payment is None or payment.order_id != order_id:
            raise Http404
        order = self.order = payment.order
        super().__init__(site, request, operation.permission, payment, place=order)
        self.limit: Money | None = None
        if operation.gives_back:
            of_day = limit_of_day(order.gateway, payment.currency, self.by)
            self.limit = smallest(limit_of(operation, payment, order.gateway), of_day)

    @cached_property
    def form(self) -> OperationForm:
        """How much, and why."""
        return OperationForm(
            self.posted, operation=self.operation, available=self._available, limit=self.limit
        )

    @property
    def _available(self) -> Money:
        return self.operation.available_of(self.row)

    @property
    def _amount(self) -> Money:
        """The amount in the form if it is valid, otherwise the available amount."""
        amount: Money = cleaned(self.form, "amount", otherwise=self._available)
        return amount

    def named(self) -> str:
        """Return the amount."""
        return self._amount.to_wire()

    def shown(self) -> int:
        """Return the available amount."""
        return self._available.minor_units

    def changed(self) -> str:
        """Return how much there is now."""
        return changed_since(self._available)

    def describe(self) -> None:
        """Show what is left, and the request for the amount in the form."""
        operation, amount, order = self.operation, self._amount, self.order
        self.title, self.why_not = operation.heading, operation.why_not_of(self.row)
        left = format_money(operation.left_of(self.row))
        self.facts = [
            (_("Order"), format_html('<a href="{}">{}</a>', self.back, visible(order))),
            (_("Payment"), format_html('<span class="wallet-code">{}</span>', self.row.reference)),
            (operation.left, format_html('<span class="wallet-facts__main">{}</span>', left)),
        ]
        if self.why_not:
            self.back_label = _("Back to the order")
            return
        is_above = self.limit is not None and amount.minor_units > self.limit.minor_units
        shown = format_money(amount)
        self.verb = _("Ask for %(amount)s") % {"amount": shown} if is_above else operation.button(amount)
        if is_above and self.posted is not None and "preview" in self.posted:
            words = _("For the amount above “%(verb)s” sends nothing yet: it asks for a second person.")
            self.hints = [words % {"verb": self.verb}]
        self.whole = "" if operation.in_parts else left
        self.may_preview = operation.in_parts
        self.unlike_named = _(
            "Nothing was sent yet. Check the amount: the button below now says “%(button)s” (%(named)s "
            "%(currency)s)."
        ) % {"button": self.verb, "named": self.named(), "currency": amount.currency}
        if amount.minor_units:
            self.request_body = visible_request(self.row, operation.kind, amount)

    def is_done(self) -> bool:
        """Show what the first submission did; a second one with another amount has changed nothing."""
        done = GatewayTransaction.objects.filter(idempotency_key=self.key).first()
        if done is None:
            return False
        try:
            is_other = read_amount(self.request.POST.get("amount", ""), done.currency) != done.amount
        except forms.ValidationError:
            is_other = self.operation.in_parts
        if is_other:
            words = _(
                "That page was used already, so nothing new was done. Open it again for another amount."
            )
            messages.warning(self.request, words)
        show_status(self.request, done)
        return True

    def act(self) -> None:
        """Carry out the operation; give it up at once if it could not be sent."""
        order, why = self.order, self.form.why
        given: dict[str, Any] = {"payment": self.row, "idempotency_key": self.key, "by": self.by, **why}
        if self.operation is REVERSE:
            transaction = payments.reverse(order, **given)
        else:
            capture_or_refund = payments.capture if self.operation is CAPTURE else payments.refund
            transaction = capture_or_refund(order, self._amount, **given)
        # A user is waiting: what was not sent because the gateway is unreachable is abandoned at once
        # instead of being sent later, and its amount is available again.
        if payments.follow_ups.give_up_unsent(transaction, by=self.by):
            raise NotDone(
                _("The gateway cannot be reached. Nothing was sent and nothing is reserved; try again later.")
            )
        words = f"{sentence_of(transaction, write=str)} ({transaction.reference}; {reason_in_words(**why)})"
        log_change(self.request.user, order, words)
        show_status(self.request, transaction)


# Many rows


class ManyPage(ConfirmPage):
    """A page on which rows are ticked, each with its amount; there is one reason for all."""

    operation: Operation
    nothing_chosen: Label
    nouns: tuple[Label, Label]
    """What one row is called, and many."""
    unnamed = gettext_lazy("Check the sum")
    unlike_named = gettext_lazy("Nothing was sent yet. Check the sum that the button below names now.")
    rows: list[RowForm]

    @cached_property
    def form(self) -> OperationForm:
        """Why, for all rows."""
        return OperationForm(self.posted, operation=self.operation)

    def row_of(
        self, key: int, subject: PaymentOrder | MigratedDeposit, left: Money | None, **more: Any
    ) -> RowForm:
        """Return the fields of one row."""
        url = row_url(self.request, subject)
        return RowForm(
            self.posted, key=key, subject=subject, url=url, operation=self.operation, left=left, **more
        )

    @cached_property
    def _limits_of_day(self) -> dict[tuple[str, str], Money | None]:
        """How much this person may give back alone today, by gateway and currency."""
        if not self.operation.gives_back:
            return {}
        among = sorted({(row.subject.gateway, row.subject.currency) for row in self.rows if not row.why_not})
        return {each: limit_of_day(*each, self.by) for each in among}

    def _needs_second_person(self, row: RowForm) -> bool:
        of_day = self._limits_of_day.get((row.subject.gateway, row.subject.currency))
        limit = smallest(row.limit, of_day)
        return limit is not None and row.asked is not None and row.asked.minor_units > limit.minor_units

    def _amounts(self) -> list[Money]:
        return [row.asked for row in self.rows if row.asked is not None]

    def named(self) -> str:
        """Return the number of rows and their sums."""
        return what_was_named(self._amounts())

    def is_valid(self) -> bool:
        """Return whether some rows are ticked, each with a good amount, and the reason is one."""
        is_sound = self.form.is_valid() and all(row.is_valid() for row in self.rows)
        if is_sound and not self._amounts():
            self.form.add_error(None, str(self.nothing_chosen))
            return False
        return is_sound

    def describe(self) -> None:
        """Name what is ticked on the button, and say what one person may still do alone today."""
        chosen, amounts = [row for row in self.rows if row.asked is not None], self._amounts()
        self.title, self.verb = self.operation.heading_of_many, self.operation.button_of_many(amounts)
        if chosen and all(map(self._needs_second_person, chosen)):
            self.verb = _("Ask for %(amount)s") % {"amount": sums_in_words(sums_of(amounts))}
        words = _(
            "Your refunds of the last 24 hours count: you may refund %(left)s more alone. Each refund "
            "above that needs a second person."
        )
        of_day = filter(None, self._limits_of_day.values())
        self.hints = [words % {"left": format_money(left)} for left in of_day]
