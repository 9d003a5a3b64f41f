"""Open the hosted page of an order: one at a time, and a further one only beside pages that are not paid.

The order is locked, then its open page is returned or an attempt with a new reference inserted, committed and
sent. Before a further page the gateway is asked about the earlier ones. A failure is written to the log once,
because the customer's page says only that nothing was charged.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator, Sequence
from copy import copy
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F
from django.utils import translation
from django.utils.translation import gettext_noop as _

from wallet_gateway.client.errors import GatewayError, NotSent, OutcomeUnknown, Refused
from wallet_gateway.client.exchange import Answer, MerchantAccount
from wallet_gateway.context import GatewayContext, foreign_merchant_account, is_left_alone
from wallet_gateway.domain.error_codes import GATEWAY_SILENT, ORDER_NOT_PAYABLE, ErrorCode
from wallet_gateway.domain.polling_schedule import LONGEST_PAGE, SHORTEST_PAGE, offered_until
from wallet_gateway.domain.states import (
    OPENING_KINDS,
    PAYABLE_STATES,
    LifecycleEvent,
    OrderState,
    PaymentTotals,
    TransactionKind,
    TransactionState,
    payment_state,
)
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of, return_urls
from wallet_gateway.ledger.apply import Change, apply
from wallet_gateway.ledger.transactions import check_outside_transaction, in_transaction
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder, TransactionEventKind
from wallet_gateway.operation_errors import (
    GatewayRefused,
    GatewayUnreachable,
    InvalidInput,
    OperationError,
    OrderNotPayable,
    TryAgain,
)
from wallet_gateway.payments.order_creation import ORDER_INVALID, check_billing_address, in_python_names
from wallet_gateway.payments.reconciliation import may_be_paid, query_again
from wallet_gateway.payments.sending import (
    body_columns,
    check_sending_not_paused,
    claim_columns,
    error_columns,
    explanation_of,
    host_of,
    is_allowed_host,
    is_allowed_page,
    pausing,
    retry_unsent,
    scheme_of,
    unexpected_page,
)
from wallet_gateway.protocol.checkout import CheckoutRequest, CheckoutResponse, RedirectDetails
from wallet_gateway.protocol.errors import InvalidMessage, ProtocolError
from wallet_gateway.protocol.text import one_line, visible

logger = logging.getLogger("wallet_gateway.checkout")


@sensitive_variables()
def start_checkout(order: PaymentOrder) -> Payment:
    """Open the gateway's payment page for an order, or return the page that is still open.

    The interface, Checkout request: at most 900 seconds long a page can be paid, see `REDIRECT_URL_TIMEOUT`.

    :param order: an order that can be paid, as `create_order` returns it.
    :returns: the attempt, with the `redirect_url` to which the shop sends the customer.
    :raises OrderNotPayable: `order_not_payable` and `order_ended`: the customer must not pay (again).
    :raises InvalidInput: `fields_invalid` where the settings or the interface's codes have changed since the
        order was made, so that it could not be made now.
    :raises SendingStopped: `sending_stopped`; nothing was sent.
    :raises TryAgain: `checkout_in_progress`, while another request opens the page.
    :raises GatewayRefused: `gateway_refused`, also for a page on a host or by a scheme that is not allowed.
    :raises GatewayUnreachable: `nothing_sent` and `gateway_silent`; the customer may try again.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    with log_failure(order):
        check_outside_transaction("payments.start_checkout")
        context = context_of(order.gateway)
        context.check_sending_enabled()
        if context.policy.billing_address_required:
            check_billing_address(order.content)
        account = context.gateway.account

        def new_page() -> CheckoutRequest | None:
            seconds = page_seconds(order, longest=account.redirect_url_timeout, now=context.clock.now())
            if seconds is None:
                return None
            reference = context.new_reference()
            urls = return_urls(reference, gateway=order.gateway)
            try:
                return page_request(order, account, urls, reference=reference, seconds=seconds)
            except InvalidMessage as error:
                # A rule that is younger than the order, such as a region that ISO 3166-2 lists no more.
                raise InvalidInput(*ORDER_INVALID, errors=in_python_names(error.errors)) from error

        request = new_page()
        check_sending_not_paused(context)
        # The database transaction may be repeated, so every run starts from the order as passed in.
        try:
            begun = in_transaction(lambda: begin(copy(order), request, context))
        except _AskFirst as unasked:
            # A second page beside one that was paid would take the money twice.
            asked = unasked.pages
            if not all(query_again(page, context=context) for page in asked):
                raise GatewayUnreachable(
                    *GATEWAY_SILENT, gateway=context.alias, address=context.policy.address
                ) from unasked
            # The answers may have taken their time, which the new page does not have any more.
            request = new_page()
            begun = in_transaction(lambda: begin(copy(order), request, context, asked=asked))
        if begun is None:
            raise TryAgain(
                _("Another request is opening the payment page. Try again in a moment."),
                ErrorCode.CHECKOUT_IN_PROGRESS,
            )
        transaction, unsent = begun
        if unsent is None:
            return transaction.opened_payment
        not_after = context.not_after()
        try:
            answer = retry_unsent(lambda: context.gateway.checkout(unsent, not_after=not_after))
        except NotSent as error:
            _record(transaction, LifecycleEvent.NOTHING_LEFT, error, context)
            raise GatewayUnreachable(
                _("The gateway at %(address)s cannot be reached: %(reason)s. Nothing was sent."),
                ErrorCode.NOTHING_SENT,
                address=context.policy.address,
                reason=error.reason,
            ) from error
        except Refused as error:
            _record(transaction, LifecycleEvent.REJECTED, error, context)
            raise GatewayRefused(
                _("The gateway refused to open a payment page: %(answer)s"), answer=explanation_of(error)
            ) from error
        except OutcomeUnknown as error:
            # Only the answer contained the page's URL, so no customer can reach that page through us.
            with pausing(context, error, explanation_of(error)):
                _record(transaction, LifecycleEvent.PAGE_LOST, error, context)
            raise GatewayUnreachable(
                _("The gateway gave no payment page: %(fault)s"), fault=explanation_of(error)
            ) from error
        return _open(transaction, answer, context)


# Record the outcome


def _record(
    transaction: GatewayTransaction, event: LifecycleEvent, error: GatewayError, context: GatewayContext
) -> None:
    change = Change(
        kind=TransactionEventKind.ANSWER if isinstance(error, Refused) else TransactionEventKind.FAULT,
        event=event,
        exchange=error.exchange,
        explanation=explanation_of(error),
        attempt_no=transaction.attempt_no,
        columns=error_columns(error),
    )
    apply(transaction, change, context=context)


def _open(
    transaction: GatewayTransaction, answer: Answer[CheckoutResponse], context: GatewayContext
) -> Payment:
    url = answer.message.redirect_url
    if not is_allowed_page(url, context):
        refused = Change(
            kind=TransactionEventKind.ANSWER,
            event=LifecycleEvent.PAGE_LOST,
            finding=unexpected_page(url, context),
            exchange=answer.exchange,
            attempt_no=transaction.attempt_no,
        )
        apply(transaction, refused, context=context)
        if is_allowed_host(url, context):
            raise GatewayRefused(
                _("The gateway named a payment page at %(scheme)s://%(host)s, but only https is allowed."),
                host=host_of(url),
                scheme=scheme_of(url),
            )
        raise GatewayRefused(
            _("The gateway named a payment page on the host %(host)s, which the settings do not allow."),
            host=host_of(url),
        )
    expires_at = transaction.expires_at or context.clock.now() + LONGEST_PAGE
    change = Change(
        kind=TransactionEventKind.ANSWER,
        event=LifecycleEvent.OPENED,
        exchange=answer.exchange,
        attempt_no=transaction.attempt_no,
        columns={"redirect_url": url, "expires_at": expires_at},
    )
    opened = apply(transaction, change, context=context)
    if opened.state != TransactionState.OPEN:
        raise GatewayUnreachable(_("The payment page arrived too late to be used."))
    payment = opened.opened_payment
    if payment.order.is_cancelled:
        # It was cancelled while the page was opened; the page stays on watch and is not shown.
        raise not_payable(payment.order)
    if payment.order.state not in PAYABLE_STATES:
        # An older page, or the wallet button, was paid while this one was opened.
        raise OrderNotPayable(
            _("Order %(order)s has been paid in the meantime. It must not be paid again."),
            order=payment.order.reference,
        )
    return payment


# Lock the order, and begin an attempt


class _AskFirst(Exception):
    """Earlier pages of the order may have been paid since the gateway was last asked about them."""

    def __init__(self, pages: Sequence[GatewayTransaction]) -> None:
        super().__init__(f"{len(pages)} pages may have been paid")
        self.pages = pages


def begin(
    order: PaymentOrder,
    request: CheckoutRequest | None,
    context: GatewayContext,
    *,
    asked: Sequence[GatewayTransaction] = (),
) -> tuple[GatewayTransaction, CheckoutRequest | None] | None:
    """Prepare an attempt with the request to send, or find the page that is open, without a request.

    Return None while another request is sending. `request` is None if too little time is left for a further
    page; a page that is open is still given. `asked` are pages about which the gateway has just been asked.
    Raises `OrderNotPayable`, and `_AskFirst` before a further page is begun.
    """
    now, number = context.clock.now(), 1
    if request is None or not _lock_untouched(order, now):
        _lock(order, now, state=OrderState.OPEN)
        attempts = list(
            GatewayTransaction.objects.filter(payment__order=order, kind__in=OPENING_KINDS)
            .select_related("payment")
            .order_by("-pk")
        )
        latest = next((attempt for attempt in attempts if attempt.kind == TransactionKind.CHECKOUT), None)
        if latest is not None and latest.payment is not None:
            latest.payment.order = order
            state = TransactionState(latest.state)
            if state is TransactionState.SENDING and latest.leased_until and latest.leased_until > now:
                return None
            is_offered = state is TransactionState.OPEN and not is_left_alone(latest, context)
            if is_offered and latest.expires_at:
                until = offered_until(opened_at=latest.created_at, expires_at=latest.expires_at)
                if until > now:
                    return latest, None
            if state is TransactionState.NOT_SENT and not foreign_merchant_account(latest, context):
                # The same reference requires the same bytes, even if the settings have changed.
                written = stored_request(latest.request_body.encode())
                ends_at = None if written is None else now + _lifetime(written)
                if ends_at is not None and (order.payable_until is None or ends_at <= order.payable_until):
                    return (latest, written) if _claim_again(latest, ends_at, now) else None
        number = len(attempts) + 1
        unasked = [page for page in attempts if page not in asked and may_be_paid(page, context)]
        if unasked and request is not None:
            raise _AskFirst(unasked)
    if request is None:
        raise not_payable(order)
    transaction = insert_attempt(
        order,
        TransactionKind.CHECKOUT,
        number=number,
        reference=request.client_system_transaction_id,
        context=context,
        created_at=now,
        # The latest possible end of the page, until an answer gives the exact one.
        **claim_columns(now=now, expires_at=now + _lifetime(request)),
        **body_columns(request.to_json(), context.gateway.account),
    )
    return transaction, request


def lock_payable(order: PaymentOrder, now: datetime) -> None:
    """Lock an order for a further attempt, as the first statement of a transaction; raise `OrderNotPayable`.

    The order keeps its state: an attempt that is only offered does not change it.
    """
    if not _lock_untouched(order, now):
        _lock(order, now)


def _lock_untouched(order: PaymentOrder, now: datetime) -> bool:
    """Lock an order that was never changed: it has no attempts, so there is nothing to read."""
    if order.version != 0 or order.is_time_over(now):
        return False
    untouched = PaymentOrder.objects.filter(pk=order.pk, version=0, state=OrderState.OPEN)
    if not untouched.update(version=1):
        return False
    order.version = 1
    return True


def _lock(order: PaymentOrder, now: datetime, **columns: OrderState) -> None:
    """Lock the order's row by an UPDATE, which works on every database, check it, and write `columns`.

    A cancellation changes the state. The end of the time to pay never changes, so it needs no condition.
    """
    payable = PaymentOrder.objects.filter(pk=order.pk, state__in=PAYABLE_STATES)
    if not order.is_time_over(now) and payable.update(version=F("version") + 1, **columns):
        order.version, order.state = order.version + 1, columns.get("state", order.state)
        return
    order.refresh_from_db()
    raise not_payable(order)


def insert_attempt(
    order: PaymentOrder,
    kind: TransactionKind,
    *,
    number: int,
    reference: str,
    context: GatewayContext,
    created_at: datetime,
    state: TransactionState,
    **columns: Any,
) -> GatewayTransaction:
    """Insert a further payment of an order, with its `number`, and its opening transaction."""
    amount = order.amount_minor
    shared: dict[str, Any] = {
        "reference": reference,
        "amount_minor": amount,
        "currency": order.currency,
        "exponent": order.exponent,
        "created_at": created_at,
    }
    stands = payment_state(PaymentTotals(amount=amount), state, kind)
    payment = Payment(
        order=order, number=number, type=order.type, state=stands, is_test=context.is_test, **shared
    )
    payment.save(force_insert=True)
    transaction = GatewayTransaction(
        payment=payment,
        payment_type=order.type,
        gateway=context.alias,
        kind=kind,
        state=state,
        **shared,
        **columns,
    )
    transaction.save(force_insert=True)
    return transaction


def _claim_again(transaction: GatewayTransaction, expires_at: datetime, now: datetime) -> bool:
    """Claim a request of which no byte left, unless another process has: it may be sent again as it is."""
    claim = claim_columns(now=now, attempt_no=transaction.attempt_no, expires_at=expires_at)
    unsent = {"state": TransactionState.NOT_SENT, "attempt_no": transaction.attempt_no}
    if not GatewayTransaction.objects.filter(pk=transaction.pk, **unsent).update(**claim):
        return False
    for name, value in claim.items():
        setattr(transaction, name, value)
    return True


# The request of one attempt


def page_request(
    order: PaymentOrder, account: MerchantAccount, redirect: RedirectDetails, *, reference: str, seconds: int
) -> CheckoutRequest:
    """Return the request for a page that lives so many seconds; raises InvalidMessage if it breaks a rule."""
    content = order.content
    details = {"providerMerchantId": account.provider_merchant_id} if account.provider_merchant_id else None
    page = {"skinId": account.skin_id, **content.get("checkoutDetails", {})}
    return CheckoutRequest.checked(
        {
            "details": details,
            **content,
            "merchantId": account.merchant_id,
            "storeId": account.store_id,
            "userId": account.user_id,
            "clientSystemTransactionId": reference,
            "redirectDetails": redirect,
            "checkoutDetails": page | {"paymentMethod": account.provider, "redirectUrlTimeout": seconds},
        }
    )


def stored_request(body: bytes) -> CheckoutRequest | None:
    """Return a stored request, to be sent again with the same bytes, even if the settings have changed.

    Returns None if it cannot be read any more, or would be written in other bytes now.
    """
    try:
        message = CheckoutRequest.from_json(body)
    except ProtocolError:
        return None
    return message if message.to_json() == body else None


def _lifetime(request: CheckoutRequest) -> timedelta:
    seconds = request.checkout_details.redirect_url_timeout
    return LONGEST_PAGE if seconds is None else timedelta(seconds=seconds)


# Whether it can be paid


def check_payable(order: PaymentOrder, now: datetime) -> None:
    """Raise `OrderNotPayable` unless the order may be paid, as it was read."""
    if not order.is_payable_at(now):
        raise not_payable(order)


def not_payable(order: PaymentOrder) -> OrderNotPayable:
    """Return the exception that says why an order takes no further attempt to pay."""
    if order.is_cancelled:
        return OrderNotPayable(
            _("Order %(order)s is cancelled. It can no longer be paid; create a new order."),
            ErrorCode.ORDER_ENDED,
            order=order.reference,
        )
    if order.state in PAYABLE_STATES and order.payable_until is not None:
        return OrderNotPayable(
            _("Order %(order)s can be paid until %(until)s. It is too late to begin another payment."),
            ErrorCode.ORDER_ENDED,
            order=order.reference,
            until=order.payable_until.isoformat(),
        )
    return OrderNotPayable(*ORDER_NOT_PAYABLE, order=order.reference, state=OrderState(order.state))


def page_seconds(order: PaymentOrder, *, longest: int, now: datetime) -> int | None:
    """Return how long a hosted page that is opened now may live; None if too little time is left to pay.

    `longest` is the setting. The page must not outlive the order, and the shortest life that a page may have
    is a minute.
    """
    if order.payable_until is None:
        return longest
    left = int((order.payable_until - now).total_seconds())
    return min(longest, left) if left >= SHORTEST_PAGE.total_seconds() else None


# What the log says


_LONGEST_MESSAGE = 1000
_ADVICE = "`manage.py wallet_doctor` examines the settings and the gateway"


@contextlib.contextmanager
def log_failure(order: PaymentOrder) -> Iterator[None]:
    """Log an error of the block at level WARNING, once, in English, and raise it on.

    An order that is paid already and a page that another click is opening are no failures.
    """
    try:
        yield
    except OperationError as error:
        if not (isinstance(error, OrderNotPayable) or error.code is ErrorCode.CHECKOUT_IN_PROGRESS):
            with translation.override(None):
                message = visible(error.message, max_length=_LONGEST_MESSAGE)
            logger.warning(
                "checkout of order %s failed (%s): %s %s; see %s",
                one_line(order.reference),
                error.code.value,
                message,
                _ADVICE,
                error.docs,
                extra=order.log_fields | {"code": error.code.value},
            )
            error.is_logged = True
        raise
