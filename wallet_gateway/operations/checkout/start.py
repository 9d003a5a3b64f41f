"""Open the hosted page of an order: one page at a time, never a second one by accident."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.translation import gettext_noop as _

from wallet_gateway.client.errors import GatewayError, NotSent, OutcomeUnknown, Refused
from wallet_gateway.client.exchange import Answer
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import LifecycleEvent, TransactionState
from wallet_gateway.domain.polling_schedule import LONGEST_PAGE
from wallet_gateway.ledger.apply import Change, apply
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder, TransactionEventKind
from wallet_gateway.models.orders import PAYABLE_STATES
from wallet_gateway.operations.checkout.gateway_requirements import check_billing_address
from wallet_gateway.operations.checkout.page_request import PageRequest, page_request
from wallet_gateway.operations.checkout.payability import not_payable, page_seconds
from wallet_gateway.operations.checkout.payment_attempts import begin
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import (
    GatewayRefused,
    GatewayUnreachable,
    OrderNotPayable,
    TryAgain,
)
from wallet_gateway.operations.sending.answers import (
    error_columns,
    explanation_of,
    host_of,
    is_allowed_host,
    is_allowed_page,
    scheme_of,
    unexpected_page,
)
from wallet_gateway.operations.sending.circuit_breaker import (
    check_sending_not_paused,
    pausing,
)
from wallet_gateway.operations.sending.send import retry_unsent
from wallet_gateway.protocol.checkout import CheckoutResponse, RedirectDetails


def start_checkout(
    *,
    order: PaymentOrder,
    context: GatewayContext,
    return_urls: Callable[[str], RedirectDetails],
) -> Payment:
    """Return a payment whose `redirect_url` the customer can be sent to.

    A page that is still open is returned again; otherwise a new attempt with a new reference is inserted,
    committed and sent. Raises `OrderNotPayable` if the customer must not pay again, `SendingStopped` before
    anything is sent, `TryAgain` at once while another request opens the page, so that no slow gateway holds
    more than one worker for an order, `InvalidInput` without a billing address that the gateway requires,
    `GatewayUnreachable` or `GatewayRefused` if there is no page. The six URLs come from `return_urls`, called
    with the attempt's reference (the interface, section redirectDetails).
    """
    context.check_sending_enabled()
    if context.policy.billing_address_required:
        check_billing_address(order.content)
    longest = context.gateway.account.redirect_url_timeout
    seconds = page_seconds(order, longest=longest, now=context.clock.now())
    request = None if seconds is None else _request(order, context, return_urls, seconds=seconds)
    check_sending_not_paused(context)
    begun = begin(order, request, context)
    if begun is None:
        raise TryAgain(
            _("Another request is opening the payment page. Try again in a moment."),
            ErrorCode.CHECKOUT_IN_PROGRESS,
        )
    if begun.request is None:
        return begun.transaction.opened_payment
    return _send(begun.transaction, begun.request, context)


def _request(
    order: PaymentOrder,
    context: GatewayContext,
    return_urls: Callable[[str], RedirectDetails],
    *,
    seconds: int,
) -> PageRequest:
    account, reference = context.gateway.account, context.new_reference()
    return page_request(order, account, return_urls(reference), reference=reference, seconds=seconds)


# Second step: call the gateway


def _send(transaction: GatewayTransaction, request: PageRequest, context: GatewayContext) -> Payment:
    not_after = context.not_after()
    try:
        answer = retry_unsent(lambda: context.gateway.send_checkout(request.written, not_after=not_after))
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


# Third step: record the outcome


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
        return _refuse_page(transaction, answer, context)
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


def _refuse_page(
    transaction: GatewayTransaction, answer: Answer[CheckoutResponse], context: GatewayContext
) -> Payment:
    url = answer.message.redirect_url
    change = Change(
        kind=TransactionEventKind.ANSWER,
        event=LifecycleEvent.PAGE_LOST,
        finding=unexpected_page(url, context),
        exchange=answer.exchange,
        attempt_no=transaction.attempt_no,
    )
    apply(transaction, change, context=context)
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
