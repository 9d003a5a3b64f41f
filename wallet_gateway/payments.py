"""The one import of a shop's own code: `from wallet_gateway import payments`.

The verbs of this app with gateway, clock and return URLs wired from the settings. Each function makes one
call into the operations or queries; rules stand there, not here. Verbs that speak to the gateway must not be
called inside a database transaction: what they are about to send has to be committed first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.views.decorators.debug import sensitive_variables

from wallet_gateway import conf, wiring
from wallet_gateway.contexts import context_of, return_urls
from wallet_gateway.domain.policy import WalletPolicy
from wallet_gateway.domain.standing import Reversal
from wallet_gateway.domain.wallet_outcomes import WalletOutcome
from wallet_gateway.models import (
    Approval,
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    Payment,
    PaymentOrder,
)
from wallet_gateway.models.wallet import WalletEvent
from wallet_gateway.operations import (
    approvals,
    approving,
    checkout,
    detached_refunds,
    follow_ups,
    migration_file,
    orders,
    reconciliation,
    resending,
    resolutions,
)
from wallet_gateway.operations.amounts import BadAmount
from wallet_gateway.operations.approvals import AnotherRequestWaits, AwaitingApproval, UnableToApprove
from wallet_gateway.operations.attempts import (
    CheckoutInProgress,
    CheckoutPaused,
    CheckoutUnavailable,
    OrderNotPayable,
)
from wallet_gateway.operations.checkout import CheckoutRefused, GatewayUnreachable
from wallet_gateway.operations.detached_refunds import UnableToRefundMigrated
from wallet_gateway.operations.errors import OperationError, OperationRefused, SendingStopped
from wallet_gateway.operations.follow_ups import UnableToCapture, UnableToRefund, UnableToReverse
from wallet_gateway.operations.intents import KeyConflict, OperationOutstanding, Who
from wallet_gateway.operations.migration_file import ImportReport
from wallet_gateway.operations.orders import InvalidOrder, OrderConflict, OrderDetails
from wallet_gateway.operations.reconciliation import Asked
from wallet_gateway.operations.resending import UnableToSendAgain
from wallet_gateway.operations.resolutions import Decision, UnableToResolve
from wallet_gateway.operations.stopping import UnableToStop
from wallet_gateway.operations.sweeping import SweepReport
from wallet_gateway.operations.texts import is_storable
from wallet_gateway.operations.wallet_attempts import UnknownWalletReference
from wallet_gateway.operations.wallet_hooks import (
    AuthenticationQuestion,
    SheetDiscount,
    SheetFault,
    SheetPricing,
    SheetQuestion,
    ShippingOption,
)
from wallet_gateway.operations.wallet_keys import Rotation, WalletUnavailable
from wallet_gateway.operations.wallet_payment import (
    TooManyWalletResults,
    WalletCardRefused,
    WalletPriceChanged,
    WalletTryAgain,
)
from wallet_gateway.operations.wallet_pricing import SheetPrice
from wallet_gateway.operations.wallet_result import InvalidWalletResult
from wallet_gateway.operations.wallet_session import WalletSession
from wallet_gateway.protocol.addresses import BillingAddress, ShippingAddress
from wallet_gateway.protocol.cart import Discount, Item, Shipping
from wallet_gateway.protocol.money import Money
from wallet_gateway.queries.approvals import approvals_that_wait
from wallet_gateway.queries.orders import OrderSummary, TimelineEntry, order_summary, order_timeline
from wallet_gateway.queries.pauses import SendingPause
from wallet_gateway.queries.wallet import WalletReceipt, wallet_receipt
from wallet_gateway.upkeep import (
    deliver_facts,
    reconcile_due,
    resume_sending,
    sending_pauses,
    stop_sending,
    sweep,
)
from wallet_gateway.wallet_payments import (
    next_wallet_reference,
    note_wallet_event,
    open_wallet_session,
    pay_with_wallet,
    price_wallet_sheet,
    rotate_wallet_keys,
    wallet_outcome,
)

__all__ = [
    "AnotherRequestWaits",
    "Approval",
    "Asked",
    "AuthenticationQuestion",
    "AwaitingApproval",
    "BadAmount",
    "BillingAddress",
    "CheckoutInProgress",
    "CheckoutPaused",
    "CheckoutRefused",
    "CheckoutUnavailable",
    "Decision",
    "Discount",
    "GatewayUnreachable",
    "ImportReport",
    "InvalidOrder",
    "InvalidWalletResult",
    "Item",
    "KeyConflict",
    "Money",
    "OperationError",
    "OperationOutstanding",
    "OperationRefused",
    "OrderConflict",
    "OrderNotPayable",
    "OrderSummary",
    "Rotation",
    "SendingPause",
    "SendingStopped",
    "SheetDiscount",
    "SheetFault",
    "SheetPrice",
    "SheetPricing",
    "SheetQuestion",
    "Shipping",
    "ShippingAddress",
    "ShippingOption",
    "SweepReport",
    "TimelineEntry",
    "TooManyWalletResults",
    "UnableToApprove",
    "UnableToCapture",
    "UnableToRefund",
    "UnableToRefundMigrated",
    "UnableToResolve",
    "UnableToReverse",
    "UnableToSendAgain",
    "UnableToStop",
    "UnknownWalletReference",
    "WalletCardRefused",
    "WalletEvent",
    "WalletOutcome",
    "WalletPolicy",
    "WalletPriceChanged",
    "WalletReceipt",
    "WalletSession",
    "WalletTryAgain",
    "WalletUnavailable",
    "approvals_waiting",
    "approve",
    "ask_gateway",
    "attempt_for",
    "capture",
    "close_discrepancy",
    "create_order",
    "decline",
    "deliver_facts",
    "export_migration_file",
    "get_order",
    "get_order_by_token",
    "import_migration_file",
    "next_wallet_reference",
    "note_wallet_event",
    "open_wallet_session",
    "order_summary",
    "order_timeline",
    "pay_with_wallet",
    "price_wallet_sheet",
    "reconcile",
    "reconcile_due",
    "refund",
    "refund_migrated",
    "resolve",
    "resume_sending",
    "reverse",
    "rotate_wallet_keys",
    "send_again",
    "sending_pauses",
    "start_checkout",
    "stop_sending",
    "sweep",
    "wallet_outcome",
    "wallet_receipt",
]


# Orders and their hosted page


@sensitive_variables()
def create_order(
    *,
    reference: str,
    currency: str,
    items: Sequence[Item] = (),
    shipping: Shipping | None = None,
    discounts: Sequence[Discount] = (),
    amount: Decimal | Money | None = None,
    type: str = "sale",  # noqa: A002 - the interface's own word
    gateway: str = "default",
    order_number: str | None = None,
    language: str | None = None,
    billing_address: BillingAddress | Mapping[str, Any] | None = None,
    shipping_address: ShippingAddress | Mapping[str, Any] | None = None,
    cardholder_id: str | None = None,
    cardholder_first_name: str | None = None,
    cardholder_last_name: str | None = None,
    cardholder_email: str | None = None,
    cardholder_mobile_phone: str | None = None,
    cardholder_home_phone: str | None = None,
    cardholder_work_phone: str | None = None,
    cardholder_national_identification_number: str | None = None,
    skin_id: str | None = None,
    provider_merchant_id: str | None = None,
    continue_url: str = "",
) -> PaymentOrder:
    """Store what is to be paid, or return the order that this reference already has.

    Sums are computed from the items, shipping and discounts; an `amount` given beside them is checked.
    `type` is "sale" or "preauthorization". Everything optional of the interface's checkout request can be
    given. Raises `InvalidOrder`, whose `errors` name each field, and `OrderConflict` when the reference
    belongs to an order with other content.
    """
    conf.gateway_settings(gateway)
    cardholder = {
        "cardholder_id": cardholder_id,
        "cardholder_first_name": cardholder_first_name,
        "cardholder_last_name": cardholder_last_name,
        "cardholder_email": cardholder_email,
        "cardholder_mobile_phone": cardholder_mobile_phone,
        "cardholder_home_phone": cardholder_home_phone,
        "cardholder_work_phone": cardholder_work_phone,
        "cardholder_national_identification_number": cardholder_national_identification_number,
    }
    details = OrderDetails(
        currency=currency,
        items=items,
        shipping=shipping,
        discounts=discounts,
        amount=amount,
        type=type,
        order_number=order_number,
        language=language,
        billing_address=billing_address,
        shipping_address=shipping_address,
        cardholder=cardholder,
        skin_id=skin_id,
        provider_merchant_id=provider_merchant_id,
    )
    return orders.create_order(
        reference=reference,
        details=details,
        gateway=gateway,
        clock=wiring.clock(),
        continue_url=continue_url,
    )


def get_order(reference: str) -> PaymentOrder:
    """Return the order with the shop's reference; raises `PaymentOrder.DoesNotExist`."""
    return orders.find(reference=reference)


def get_order_by_token(token: str) -> PaymentOrder:
    """Return the order that a URL names; raises `PaymentOrder.DoesNotExist`."""
    return orders.find(token=token)


def start_checkout(order: PaymentOrder) -> Payment:
    """Return a payment whose `redirect_url` the customer is to be sent to.

    A page that is still open is served again. Raises a `CheckoutUnavailable`; `OrderNotPayable` among them
    means that the customer must not pay again.
    """
    return checkout.start_checkout(order=order, context=context_of(order.gateway), return_urls=return_urls)


def attempt_for(reference: str) -> Payment:
    """Return the attempt to pay with this clientSystemTransactionId; raises `Payment.DoesNotExist`."""
    if not is_storable(reference):
        raise Payment.DoesNotExist(f"no attempt has the reference {reference[:64]!r}")
    return Payment.objects.select_related("order").get(reference=reference)


# What the gateway says


def reconcile(subject: PaymentOrder | Payment, *, everything: bool = False) -> PaymentOrder:
    """Ask the gateway about what is not settled, and return the order as it then stands.

    Given one attempt, only that attempt is asked about. However often this is called, the gateway is asked
    about one transaction at most every two seconds. `everything` asks about settled transactions, too.
    """
    if isinstance(subject, Payment):
        context = context_of(subject.order.gateway)
        return reconciliation.reconcile_attempt(reference=subject.reference, context=context).order
    context = context_of(subject.gateway)
    return reconciliation.reconcile_order(order=subject, context=context, everything=everything)


def ask_gateway(subject: PaymentOrder | MigratedDeposit) -> Asked:
    """Ask about every transaction of an order, or of an earlier provider's payment, now; nothing is sent."""
    return reconciliation.ask_everything(subject, context=context_of(subject.gateway))


# Operations on a payment


def capture(
    order: PaymentOrder,
    amount: Decimal | Money | None = None,
    *,
    payment: Payment | None = None,
    key: str | None = None,
    author: str = "",
    note: str = "",
) -> GatewayTransaction:
    """Take reserved money, all of it or `amount`; look at the returned transaction's `state`.

    A repeated `key` returns the first transaction and sends nothing. Raises `UnableToCapture`.
    """
    return follow_ups.capture(
        payment=_payment_meant(order, payment, UnableToCapture),
        context=context_of(order.gateway),
        amount=amount,
        who=Who(key=key, author=author, note=note),
    )


def refund(
    order: PaymentOrder,
    amount: Decimal | Money | None = None,
    *,
    payment: Payment | None = None,
    key: str | None = None,
    author: str = "",
    note: str = "",
) -> GatewayTransaction:
    """Give captured money back, all of it or `amount`; look at the returned transaction's `state`.

    A repeated `key` returns the first transaction and sends nothing. Raises `UnableToRefund`, and
    `AwaitingApproval` where the settings demand a second person: its `approval` waits for `approve`.
    """
    return follow_ups.refund(
        payment=_payment_meant(order, payment, UnableToRefund),
        context=context_of(order.gateway),
        amount=amount,
        who=Who(key=key, author=author, note=note),
    )


def reverse(
    order: PaymentOrder,
    *,
    payment: Payment | None = None,
    key: str | None = None,
    author: str = "",
    note: str = "",
) -> GatewayTransaction:
    """Give the whole authorisation back, while nothing of it is captured. Raises `UnableToReverse`."""
    return follow_ups.reverse(
        payment=_payment_meant(order, payment, UnableToReverse),
        context=context_of(order.gateway),
        who=Who(key=key, author=author, note=note),
    )


def _payment_meant(order: PaymentOrder, payment: Payment | None, refusal: type[OperationRefused]) -> Payment:
    if payment is not None and payment.order_id != order.pk:
        raise refusal(f"payment {payment.reference} is not one of order {order.reference}")
    return payment or _payment_with_money(order, refusal)


def _payment_with_money(order: PaymentOrder, refusal: type[OperationRefused]) -> Payment:
    payments = list(order.payments.select_related("order").filter(authorised__gt=0))
    if len(payments) > 1:
        # One that was reversed holds nothing any more, so another one is meant.
        payments = [payment for payment in payments if payment.reversal != Reversal.DONE]
    if not payments:
        raise refusal(f"order {order.reference} has no authorised payment")
    if len(payments) > 1:
        raise refusal(f"order {order.reference} has {len(payments)} payments; say which one is meant")
    return payments[0]


# Detached refunds


def refund_migrated(
    parent_transaction_id: str,
    amount: Decimal | Money,
    currency: str,
    *,
    gateway: str = "default",
    order_number: str | None = None,
    key: str | None = None,
    author: str = "",
    note: str = "",
) -> GatewayTransaction:
    """Refund a payment made through another provider; `approved_amount` of the result may be less.

    Raises `UnableToRefundMigrated` when more is asked than a known deposit has left, and `AwaitingApproval`
    where the settings demand a second person.
    """
    return detached_refunds.refund_migrated(
        parent_transaction_id=parent_transaction_id,
        amount=amount,
        currency=currency,
        context=context_of(gateway),
        who=Who(key=key, author=author, note=note),
        order_number=order_number,
    )


def import_migration_file(
    lines: Iterable[str | bytes], *, gateway: str = "default", keep_good: bool = False, dry_run: bool = False
) -> ImportReport:
    """Read a migration file, opened as binary, into deposits; bad rows are reported by line and reason."""
    return migration_file.import_migration_file(
        lines, gateway=gateway, clock=wiring.clock(), keep_good=keep_good, dry_run=dry_run
    )


def export_migration_file(*, gateway: str = "default") -> Iterator[str]:
    """Write the known deposits of a gateway as a migration file, line by line."""
    return migration_file.export_migration_file(gateway=gateway)


# Decisions


def send_again(intent: GatewayTransaction, *, author: str = "", note: str = "") -> GatewayTransaction:
    """Send a `NOT_SENT` capture, refund or reversal once more, now: the same reference, the same bytes.

    For what `needs_operator` because the sweep has tried a few times and stopped; `resolve` gives it up
    instead and frees its amount. Raises `UnableToSendAgain`.
    """
    return resending.send_again(intent, context=context_of(intent.gateway), who=Who(author=author, note=note))


def resolve(
    intent: GatewayTransaction, *, decision: Decision | str, reason: str, author: str
) -> GatewayTransaction:
    """Record a person's decision on an outcome that no evidence has ended.

    Raises `UnableToResolve`, and `AwaitingApproval` where the settings demand a second person.
    """
    return resolutions.resolve(
        intent,
        decision=Decision(decision),
        reason=reason,
        author=author,
        context=context_of(intent.gateway),
    )


def close_discrepancy(discrepancy: Discrepancy, *, reason: str, author: str) -> Discrepancy:
    """Close a difference between our books and the gateway's, with a reason."""
    return resolutions.close_discrepancy(
        discrepancy, reason=reason, author=author, context=context_of(discrepancy.gateway)
    )


# A second person


def approvals_waiting() -> tuple[Approval, ...]:
    """Return what waits for a second person, the oldest first."""
    return approvals_that_wait(now=wiring.clock().now())


def approve(approval: Approval, *, author: str, reason: str = "") -> GatewayTransaction:
    """Agree to what another person asked for, and do it; look at the returned transaction's `state`.

    Raises `UnableToApprove`, above all for the person who asked, and whatever the operation refuses: then
    nothing was sent and the request goes on waiting.
    """
    return approving.approve(approval, author=author, reason=reason, context=context_of(approval.gateway))


def decline(approval: Approval, *, author: str, reason: str) -> Approval:
    """End a request without doing it; whoever asked withdraws it by this. Raises `UnableToApprove`."""
    return approvals.decline(approval, author=author, reason=reason, clock=wiring.clock())
