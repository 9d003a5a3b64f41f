"""Choose the page for a customer: the input is an order's state, the output a template and its context.

The kind of return URL selects the wording among pages that say "not paid"; it never decides whether a page
says "paid".
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from urllib.parse import urlsplit

from django.apps import apps
from django.urls import get_script_prefix, reverse

from wallet_gateway import return_tokens
from wallet_gateway.domain.orders import is_continue_url
from wallet_gateway.domain.polling_schedule import REOPEN_MARGIN
from wallet_gateway.domain.states import PAYABLE_STATES, OrderState, TransactionKind, TransactionState
from wallet_gateway.models import Payment, PaymentOrder, WalletAttempt
from wallet_gateway.reports.attempts import latest_reference, unknown_outcomes
from wallet_gateway.reports.receipts import Receipt, address_of, order_goods, order_receipt
from wallet_gateway.return_tokens import ReturnOutcome

_LEAD_TO_RESULT = ("pay", "return", "result")
_MAILS = "wallet_gateway.contrib.mails"


class PageKind(StrEnum):
    """The available pages; each has a template of its name."""

    PAY = "pay"
    STALE = "stale"
    AUTHORIZED = "authorized"
    PAID = "paid"
    OVERPAID = "overpaid"
    ALREADY_PAID = "already_paid"
    PART_REFUNDED = "part_refunded"
    REFUNDED = "refunded"
    REVERSED = "reversed"
    PENDING = "pending"
    UNDECIDED = "undecided"
    UNHEARD = "unheard"
    CHECKING = "checking"
    REFUSED = "refused"
    CANCELLED = "cancelled"
    FAILED = "failed"
    EXPIRED = "expired"
    NO_LONGER_PAYABLE = "no_longer_payable"
    LINK_EXPIRED = "link_expired"
    CHECKOUT_UNAVAILABLE = "checkout_unavailable"
    OPENING = "opening"


_BY_STATE = {
    OrderState.PENDING: PageKind.PENDING,
    OrderState.AUTHORIZED: PageKind.AUTHORIZED,
    OrderState.PART_CAPTURED: PageKind.AUTHORIZED,
    OrderState.PAID: PageKind.PAID,
    OrderState.PART_REFUNDED: PageKind.PART_REFUNDED,
    OrderState.REFUNDED: PageKind.REFUNDED,
    OrderState.REVERSED: PageKind.REVERSED,
    OrderState.OVERPAID: PageKind.OVERPAID,
    OrderState.CANCELLED: PageKind.NO_LONGER_PAYABLE,
    OrderState.FROZEN: PageKind.CHECKING,
}
_FAILED_BY_OUTCOME = {ReturnOutcome.REFUSED: PageKind.REFUSED, ReturnOutcome.CANCEL: PageKind.CANCELLED}
_CLOSED = frozenset({TransactionState.ABANDONED, TransactionState.EXPIRED})
_WITHOUT_RESULT = frozenset({ReturnOutcome.RETURN, ReturnOutcome.PENDING})
_OFFERS_BUTTON = frozenset(
    {
        PageKind.PAY,
        PageKind.STALE,
        PageKind.REFUSED,
        PageKind.CANCELLED,
        PageKind.FAILED,
        PageKind.EXPIRED,
        PageKind.UNHEARD,
        PageKind.REVERSED,
        PageKind.CHECKOUT_UNAVAILABLE,
    }
)
# The payment page of an undecided attempt is opened again, which cannot take the money twice. A button could.
_OFFERS_PAYMENT = _OFFERS_BUTTON | {PageKind.UNDECIDED}
_THANKS = frozenset({PageKind.PAID, PageKind.AUTHORIZED})
_MAILED = _THANKS | {PageKind.PENDING}
_HAS_RECEIPT = _THANKS | {PageKind.PART_REFUNDED, PageKind.REFUNDED}
_SHOWS_ORDER = _HAS_RECEIPT | {PageKind.ALREADY_PAID, PageKind.OVERPAID}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPage:
    """One page: its subject and its links."""

    kind: PageKind
    order: PaymentOrder | None = None
    """None if the link is too old to show the order."""
    token: str = ""
    """A return token of the page's attempt; a waiting page uses it for polling."""
    continue_url: str = ""
    """Back to the shop, safe to link to; empty for the front page."""
    has_wallet: bool = False
    """Whether the gateway's settings have a wallet, and the order's button is not closed."""
    is_test: bool = False
    """Whether the gateway moves no real money, which the page must say."""
    receipt: Receipt | None = None
    """Goods and sums where the order can be paid; with the card, of a payment approved a short time ago."""
    mails_result: bool = False
    """Whether the plugin's mails are enabled and inform this customer of the result."""
    reopens: bool = False
    """Whether its form leads to the page that is already open, and so cannot take the money twice."""
    bank_url: str = ""
    """The 3-D Secure page that the customer left and may return to; empty without one."""

    @property
    def template(self) -> str:
        """The template of this page."""
        return f"wallet_gateway/{self.kind}.html"

    @property
    def offers_payment(self) -> bool:
        """Whether the page has a form that leads to the payment page: never while the outcome is unknown."""
        return self.kind in _OFFERS_PAYMENT

    @property
    def offers_wallet(self) -> bool:
        """Whether the wallet's button stands beside that form."""
        return self.has_wallet and self.kind in _OFFERS_BUTTON

    @property
    def leads_to_order(self) -> bool:
        """Whether all is paid, and the way on leads to the page that the shop has named for the order."""
        return self.kind in _SHOWS_ORDER and self.continue_url != get_script_prefix()

    @property
    def result_url(self) -> str:
        """The address of the attempt's result page."""
        return reverse("wallet_gateway:result", args=[self.token])

    @property
    def status_url(self) -> str:
        """The address that the waiting page polls."""
        return reverse("wallet_gateway:status", args=[self.token])


def page_for(order: PaymentOrder, attempt: Payment, outcome: ReturnOutcome) -> PageKind:
    """Return the page for a customer who came back from `attempt` through this kind of return URL."""
    state = OrderState(order.state)
    came_back = outcome is ReturnOutcome.RETURN or not attempt.is_open
    if state in {OrderState.OPEN, OrderState.CANCELLED} and not came_back:
        return PageKind.PENDING
    if state in PAYABLE_STATES and not order.is_payable:
        return PageKind.NO_LONGER_PAYABLE
    if state is OrderState.OPEN:
        return PageKind.UNDECIDED
    opening = attempt.opening
    is_closed_button = opening.kind == TransactionKind.AUTHORIZATION and opening.state in _CLOSED
    without_result = WalletAttempt.objects.filter(transaction=opening, results_count=0)
    if state in PAYABLE_STATES and is_closed_button and without_result.exists():
        # It was never sent.
        return PageKind.UNHEARD
    if state in {OrderState.FAILED, OrderState.EXPIRED}:
        # The order's state is that of its latest attempt, which may be another one.
        is_page_over = opening.kind == TransactionKind.CHECKOUT and opening.state == TransactionState.EXPIRED
        return PageKind.EXPIRED if is_page_over else _FAILED_BY_OUTCOME.get(outcome, PageKind.FAILED)
    return _BY_STATE[state]


def kind_without_payment(order: PaymentOrder) -> PageKind:
    """Return the page for a customer who pressed the pay button of an order that must not be paid again."""
    state = OrderState(order.state)
    kind = PageKind.NO_LONGER_PAYABLE if state in PAYABLE_STATES else _BY_STATE[state]
    return PageKind.ALREADY_PAID if kind in {PageKind.PAID, PageKind.AUTHORIZED} else kind


def receipt_for(order: PaymentOrder, kind: PageKind, now: datetime) -> Receipt | None:
    """Return what the page tells about goods and card; None for other pages, and a day after the approval.

    Later the page still says that the order is paid: its address may have been passed on since. While it can
    be paid, goods and sums alone are shown.
    """
    if kind in _OFFERS_PAYMENT:
        return order_goods(order)
    receipt = order_receipt(order) if kind in _HAS_RECEIPT else None
    approved_at = receipt.approved_at if receipt else None
    return receipt if approved_at and now - approved_at <= return_tokens.MAX_AGE else None


def mails_result(order: PaymentOrder, kind: PageKind) -> bool:
    """Return whether the plugin's own mails inform this customer, who was asked to wait, of the result."""
    is_told = kind in _MAILED and apps.is_installed(_MAILS)
    return is_told and bool(address_of(order)) and unknown_outcomes(order) > 0


def bank_page(attempt: Payment, outcome: ReturnOutcome, now: datetime) -> str:
    """Return the 3-D Secure page that a customer may go back to; empty without one.

    A customer who used a link on that page has left it permanently; one who used the browser's back button
    has not.
    """
    transaction = attempt.opening
    waits = transaction.state == TransactionState.AWAITING_3DS and outcome in _WITHOUT_RESULT
    ends = transaction.expires_at if waits else None
    return str(transaction.redirect_url) if ends is not None and ends - REOPEN_MARGIN > now else ""


def latest_token(order: PaymentOrder) -> str:
    """Return a return token of the latest attempt to pay an order; empty without one."""
    reference = latest_reference(order)
    return return_tokens.sign(reference, ReturnOutcome.PENDING) if reference else ""


def thank_you_url(order: PaymentOrder, kind: PageKind, *, origins: Collection[str]) -> str:
    """Return the shop's own page to which a customer is sent in place of this one; empty without one."""
    url = order.continue_url
    if not (order.redirect_when_paid and kind in _THANKS and is_continue_url(url, origins)):
        return ""
    # From one of our own pages a browser would come back to this one.
    ours = (reverse(f"wallet_gateway:{name}", args=["-"]).removesuffix("-/") for name in _LEAD_TO_RESULT)
    return "" if urlsplit(url).path.startswith(tuple(ours)) else url


def safe_continue_url(url: str, *, origins: Collection[str]) -> str:
    """Return where "back to the shop" leads: the order's address if within the shop, else the front page.

    It was checked when the order was created; the settings may have changed since.
    """
    return url if is_continue_url(url, origins) else get_script_prefix()
