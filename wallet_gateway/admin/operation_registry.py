"""The operations that a user can request: name, permission, reasons and available amount.

The domain has the rules and the operations do the work; this module has the texts that the user sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from wallet_gateway import payments
from wallet_gateway.admin import permissions
from wallet_gateway.admin.refusal_text import refusal_text
from wallet_gateway.admin.sums import sums_in_words, sums_of
from wallet_gateway.domain.people import REASON_CODES, By, ReasonCode
from wallet_gateway.domain.states import TransactionKind, available, why_not_begin
from wallet_gateway.formats import format_money
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment
from wallet_gateway.models.fields import label_of
from wallet_gateway.payments import follow_ups
from wallet_gateway.payments.errors import OperationRefused, message_of
from wallet_gateway.protocol.money import Money
from wallet_gateway.reports.work import made_elsewhere


class NotDone(Exception):
    """Nothing was sent or reserved. The message is shown in the form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation on a payment."""

    kind: TransactionKind
    permission: str
    heading: Promise | str
    heading_of_many: Promise | str
    verb: Promise | str
    """The button as long as there is no amount to name."""
    verb_with_amount: Promise | str
    verb_of_many: Any
    """By `count`; not annotated as text, because its plural is chosen by `%`."""
    agreement: Promise | str
    """What the second person's button names."""
    left: Promise | str
    """The label of the available amount."""
    in_parts: bool = True
    """Whether less than the available amount can be requested."""

    @property
    def slug(self) -> str:
        """Return the operation's name in a URL."""
        return self.kind.value.lower()

    def button(self, amount: Money) -> str:
        """Return the text of the button that moves an amount."""
        return str(self.verb_with_amount) % {"amount": format_money(amount)}

    def button_of_many(self, amounts: Sequence[Money]) -> str:
        """Return the text of the button that moves several amounts, with their number and sums."""
        if not amounts:
            return str(self.verb)
        return str(self.verb_of_many % {"count": len(amounts), "sums": sums_in_words(sums_of(amounts))})

    def available_of(self, payment: Payment) -> Money:
        """Return the available amount of a payment for this operation, based on the row."""
        return Money.from_minor_units(max(available(self.kind, payment.totals), 0), payment.currency)

    def left_of(self, payment: Payment, differences: Iterable[Discrepancy] | None = None) -> Money:
        """Return what is left of a payment for this operation, also while a freeze lets nothing begin.

        It is then without what was made elsewhere, as long as nobody has dismissed that. The payment's
        differences are read if they are not given.
        """
        if not payment.is_frozen:
            return self.available_of(payment)
        rows = payment.discrepancies.all() if differences is None else differences
        made = (made_elsewhere(row) for row in rows if row.payment_id == payment.pk and row.closed_at is None)
        gone = sum(each.amount.minor_units for each in made if each is not None and each.kind is self.kind)
        left = available(self.kind, replace(payment.totals, is_frozen=False)) - gone
        return Money.from_minor_units(max(left, 0), payment.currency)

    def why_not_of(self, payment: Payment) -> str:
        """Return why the operation cannot begin; empty if it can."""
        why = why_not_begin(self.kind, payment.totals, awaits_outcome=payment.awaits_outcome)
        return message_of(why.code, sentence=why.sentence) if why is not None else ""

    @property
    def reasons(self) -> tuple[tuple[str, Promise | str], ...]:
        """Return the reasons for it, as the choices of a form."""
        return tuple((code.value, _LABELS.get(code) or label_of(code)) for code in REASON_CODES[self.kind])


_LABELS = {ReasonCode.OTHER: gettext_lazy("Another reason (say it in the note)")}
"""Form labels of reasons that need more than their name."""

CAPTURE = Operation(
    kind=TransactionKind.CAPTURE,
    permission=permissions.CAPTURE,
    heading=gettext_lazy("Capture a payment"),
    heading_of_many=gettext_lazy("Capture several orders"),
    verb=gettext_lazy("Capture"),
    verb_with_amount=gettext_lazy("Capture %(amount)s"),
    verb_of_many=ngettext_lazy(
        "Capture %(count)d order, %(sums)s", "Capture %(count)d orders, %(sums)s", "count"
    ),
    agreement=gettext_lazy("Agree: capture %(amount)s"),
    left=gettext_lazy("Left to capture"),
)
REFUND = Operation(
    kind=TransactionKind.REFUND,
    permission=permissions.REFUND,
    heading=gettext_lazy("Refund a payment"),
    heading_of_many=gettext_lazy("Refund several orders"),
    verb=gettext_lazy("Refund"),
    verb_with_amount=gettext_lazy("Refund %(amount)s"),
    verb_of_many=ngettext_lazy(
        "Refund %(count)d order, %(sums)s", "Refund %(count)d orders, %(sums)s", "count"
    ),
    agreement=gettext_lazy("Agree: refund %(amount)s"),
    left=gettext_lazy("Left to refund"),
)
REVERSE = Operation(
    kind=TransactionKind.REVERSAL,
    permission=permissions.REVERSE,
    heading=gettext_lazy("Reverse an authorization"),
    heading_of_many=gettext_lazy("Reverse several orders"),
    verb=gettext_lazy("Reverse"),
    verb_with_amount=gettext_lazy("Reverse %(amount)s"),
    verb_of_many=ngettext_lazy(
        "Reverse %(count)d order, %(sums)s", "Reverse %(count)d orders, %(sums)s", "count"
    ),
    agreement=gettext_lazy("Agree: reverse %(amount)s"),
    left=gettext_lazy("Reserved at the customer's bank"),
    in_parts=False,
)
BY_SLUG: Mapping[str, Operation] = MappingProxyType(
    {operation.slug: operation for operation in (CAPTURE, REFUND, REVERSE)}
)
DETACHED_REFUND = replace(
    REFUND,
    kind=TransactionKind.DETACHED_REFUND,
    permission=permissions.DETACHED_REFUND,
    heading_of_many=gettext_lazy("Refund payments of the earlier provider"),
    verb_of_many=ngettext_lazy(
        "Refund %(count)d deposit, %(sums)s", "Refund %(count)d deposits, %(sums)s", "count"
    ),
)
"""For a deposit, which has no payment totals: the deposit itself has the available amount."""
BY_KIND: Mapping[TransactionKind, Operation] = MappingProxyType(
    {operation.kind: operation for operation in (*BY_SLUG.values(), DETACHED_REFUND)}
)


def reason_in_words(reason_code: str, comment: str) -> str:
    """Return the reason's name in the reader's language, and the comment."""
    if not reason_code or (reason_code == ReasonCode.OTHER and comment):
        return comment
    name = label_of(ReasonCode(reason_code))
    return f"{name}: {comment}" if comment else str(name)


def execute(
    operation: Operation,
    payment: Payment,
    amount: Money,
    *,
    key: str,
    by: By,
    reason_code: str,
    comment: str,
) -> GatewayTransaction:
    """Request an operation under a key and return its transaction.

    Raises `NotDone` if nothing was sent or reserved, and `AwaitingApproval` if a second person is needed.

    A user is waiting: if a request was not sent because the gateway is unreachable, it is abandoned at once
    instead of being sent later, and its amount is available again.
    """
    words: dict[str, Any] = {"by": by, "reason_code": reason_code, "comment": comment}
    try:
        transaction = _request_operation(operation, payment, amount, idempotency_key=key, **words)
    except (OperationRefused, ImproperlyConfigured) as error:
        raise NotDone(refusal_text(error, gateway=payment.order.gateway)) from error
    if follow_ups.give_up_unsent(transaction, by=by):
        raise NotDone(
            _("The gateway cannot be reached. Nothing was sent and nothing is reserved; try again later.")
        )
    return transaction


def _request_operation(
    operation: Operation, payment: Payment, amount: Money, **given: Any
) -> GatewayTransaction:
    if operation is REVERSE:
        return payments.reverse(payment.order, payment=payment, **given)
    verbs = {TransactionKind.CAPTURE: payments.capture, TransactionKind.REFUND: payments.refund}
    return verbs[operation.kind](payment.order, amount, payment=payment, **given)
