"""The operations that a user can request: name, permission, reasons, available amount, second person.

The domain has the rules and the operations do the work; this module has the texts that the user sees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from django.utils.functional import Promise
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from wallet_gateway import conf, gateways
from wallet_gateway.domain.people import REASON_CODES, Actor, ReasonCode
from wallet_gateway.domain.policy import GIVING_BACK, LIMITED_PERIOD
from wallet_gateway.domain.states import TransactionKind, TransactionState, available, why_not_begin
from wallet_gateway.formats import format_money
from wallet_gateway.models import (
    Allowance,
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    Payment,
    decisions,
)
from wallet_gateway.models.fields import label_of
from wallet_gateway.payments.errors import message_of
from wallet_gateway.protocol.codes import Currency, currency_exponent
from wallet_gateway.protocol.money import Money
from wallet_gateway.reports.work import made_elsewhere


def sums_of(amounts: Iterable[Money]) -> tuple[Money, ...]:
    """Return the sum in each currency, in the order of the currencies' codes."""
    by_currency = Counter[tuple[str, int]]()
    for amount in amounts:
        by_currency[amount.currency, currency_exponent(amount.currency)] += amount.minor_units
    return tuple(Money.from_minor_units(minor, Currency(*of)) for of, minor in sorted(by_currency.items()))


def sums_in_words(sums: Iterable[Money]) -> str:
    """Return sums in the reader's language: `€86.70`, or `€86.70 and ¥1,200`."""
    return get_text_list([format_money(each) for each in sums], _("and"))


def what_was_named(amounts: Sequence[Money]) -> str:
    """Return what the button of a confirm page names, the same in every language: `3, 86.70 EUR`.

    The button sends it back, so that money moves only by a button that named how much.
    """
    return ", ".join([str(len(amounts)), *map(str, sums_of(amounts))])


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

    @property
    def gives_back(self) -> bool:
        """Whether a person may be allowed so much of it alone."""
        return self.kind in GIVING_BACK

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
    permission=decisions.CAPTURE,
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
    permission=decisions.REFUND,
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
    permission=decisions.REVERSE,
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
    permission=decisions.DETACHED_REFUND,
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


def limit_of(operation: Operation, of: Payment | MigratedDeposit, gateway: str) -> Money | None:
    """Return how much of a payment or deposit one person may still give back; None where there is no limit.

    Earlier refunds count. This value is only shown; the operation decides, under the lock.
    """
    limit = conf.approval_policy(gateway).limit_for(of.currency) if operation.gives_back else None
    if limit is None:
        return None
    return Money.from_minor_units(max(limit - of.refunded - of.refund_reserved, 0), of.currency)


def limit_of_day(gateway: str, currency: str, person: Actor) -> Money | None:
    """Return how much a person may still give back today; None without a limit."""
    limit = conf.approval_policy(gateway).day_limit_for(currency)
    if limit is None:
        return None
    rows = Allowance.objects.filter(gateway=gateway, account=person.account, currency=currency)
    used = Allowance.used_since(gateways.clock().now() - LIMITED_PERIOD)
    used_minor = rows.annotate(used=used).values_list("used", flat=True).first() or 0
    return Money.from_minor_units(max(limit - used_minor, 0), currency)


def smallest(*limits: Money | None) -> Money | None:
    """Return the smallest of these limits, all in one currency; None if no limit is given."""
    return min(filter(None, limits), key=lambda limit: limit.minor_units, default=None)


def hint(limit: Money | None, available: Money | None) -> str:
    """Return a hint with the amount that needs a second person; empty if the remaining amount needs none."""
    if limit is None or (available is not None and available.minor_units <= limit.minor_units):
        return ""
    if not limit.minor_units:
        return _("This needs a second person: nothing is sent before somebody else has agreed.")
    words = _(
        "An amount above %(alone)s needs a second person: nothing is sent before somebody else has agreed."
    )
    return words % {"alone": format_money(limit)}


def hint_of_decision(transaction: GatewayTransaction, person: Actor) -> str:
    """Return a hint that a decision on an outcome needs a second person; empty if it does not."""
    if transaction.state == TransactionState.NOT_SENT:
        return ""
    minor, currency = transaction.amount_minor, transaction.currency
    left = limit_of_day(transaction.gateway, currency, person)
    is_above_day = left is not None and minor > left.minor_units
    if not is_above_day and not conf.approval_policy(transaction.gateway).is_needed(minor, currency):
        return ""
    return _("This needs a second person: your decision counts once somebody else has agreed.")
