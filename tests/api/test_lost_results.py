"""A wallet's result, or the shop's answer to it, is lost: what was sent decides what the customer reads.

The page asks the status of its attempt until the shop can be reached, and goes to the result page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.api.browser import CARD, FAILED, Browser, approve
from tests.operations.journal import times_sent
from tests.web.conftest import let_the_gateway_be_asked_again, state_of
from tests.web.page_reader import Page
from wallet_gateway import payments
from wallet_gateway.domain.explanations import ExplanationCode
from wallet_gateway.domain.lifecycle import OrderState, PaymentState, TransactionState
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.invariants import check_books

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_counted")]
S = TransactionState

UNHEARD = ("We did not hear from your wallet", "Nothing was charged. You can pay again.")
FAILED_PAGE = ("Your payment did not go through", "Nothing was charged, and you can try again.")
CHECKED = ("We are checking your payment", "Please do not pay again.")
PAID = ("Your payment went through", "")
OTHER_PAGE = ("Your payment is not finished", "You can go back to the payment page and finish there.")
OVER = ("This order can no longer be paid", "")
MAY_PAY = "You can pay again|you can try again|Try again"


@dataclass
class Scene:
    """An order, the customer's browser with its button, and the gateway."""

    order: PaymentOrder
    control: SandboxControl
    browser: Browser = field(default_factory=Browser)

    def __post_init__(self) -> None:
        self.session: Mapping[str, Any] = self.browser.open(self.order)
        self.detail = approve(self.control, dict(self.session))

    def post(self, detail: object = None) -> dict[str, Any]:
        """Let a result reach the shop, whose answer is lost unless the test reads it."""
        answer: dict[str, Any] = self.browser.post("result", self.order, detail or self.detail).json()
        return answer

    def take_another_card(self) -> None:
        """Take a second card in the same sheet, whose result is lost."""
        self.control.fault("authorization", "errored")
        self.post()
        given = self.browser.post("reference", self.order, {"after": self.session["reference"]}).json()
        self.detail = approve(self.control, dict(self.session), reference=given["reference"])
        self.session = {**self.session, **given}

    def leave_in(self, state: TransactionState) -> None:
        """Let the process die at this point of sending the authorization."""
        now = timezone.now()
        leased = {"leased_until": now + timedelta(minutes=2), "attempt_no": 1}
        GatewayTransaction.objects.update(state=state, state_changed_at=now, **leased)
        Payment.objects.update(state=PaymentState.PENDING)
        PaymentOrder.objects.update(state=OrderState.PENDING)


def nothing(scene: Scene) -> None:
    """Lose the result on its way to the shop."""


def declined(scene: Scene) -> None:
    scene.control.fault("authorization", "errored")
    scene.post()


def executed_and_unknown(scene: Scene) -> None:
    scene.control.fault("authorization", "drop_after")
    scene.post()
    let_the_gateway_be_asked_again()


def not_executed_and_unknown(scene: Scene) -> None:
    scene.control.fault("authorization", "drop_before")
    scene.post()


def at_the_bank(scene: Scene) -> None:
    scene.post(approve(scene.control, dict(scene.session), CARD))


def card_not_found_out(scene: Scene) -> None:
    scene.control.fault("get_payment_account", "drop_before", times=9)
    scene.post()
    scene.control.clear_faults()


def out_of_time(scene: Scene) -> None:
    GatewayTransaction.objects.update(expires_at=timezone.now())
    payments.maintenance.sweep()


def with_the_payment_page(scene: Scene) -> None:
    payments.start_checkout(scene.order)


def paid_in_another_browser(scene: Scene) -> None:
    other = Browser()
    other.post("result", scene.order, approve(scene.control, other.open(scene.order)))


def cancelled(scene: Scene) -> None:
    payments.orders.cancel(scene.order, by="ada", note="sold out")


def time_over(scene: Scene) -> None:
    PaymentOrder.objects.update(payable_until=timezone.now())


LOST = [
    # What happened, what the customer reads, and how many authorizations were sent.
    (nothing, UNHEARD, 0),
    (Scene.take_another_card, UNHEARD, 1),
    (out_of_time, UNHEARD, 0),
    (Scene.post, PAID, 1),
    (declined, FAILED_PAGE, 1),
    (executed_and_unknown, PAID, 1),
    (not_executed_and_unknown, CHECKED, 1),
    (at_the_bank, CHECKED, 1),
    (lambda scene: scene.leave_in(S.SENDING), CHECKED, 0),
    (lambda scene: scene.leave_in(S.NOT_SENT), CHECKED, 0),
    (lambda scene: scene.leave_in(S.PENDING), CHECKED, 0),
    (card_not_found_out, FAILED_PAGE, 0),
    (lambda scene: scene.post(FAILED), UNHEARD, 0),
    (with_the_payment_page, OTHER_PAGE, 0),
    (paid_in_another_browser, PAID, 1),
    (cancelled, OVER, 0),
    (time_over, OVER, 0),
]


@pytest.mark.parametrize(("happens", "read", "sent"), LOST)
def test_what_was_sent_decides_what_the_customer_reads(
    order: PaymentOrder,
    wallet_sandbox: SandboxControl,
    happens: Callable[[Scene], object],
    read: tuple[str, str],
    sent: int,
) -> None:
    scene = Scene(order, wallet_sandbox)
    happens(scene)
    client = scene.browser.client

    asked = client.get(scene.session["statusUrl"])
    assert (asked.status_code, asked.json()["next"]) == (200, scene.session["resultUrl"])
    html = client.get(scene.session["resultUrl"]).content.decode()
    again = client.get(scene.session["resultUrl"]).content.decode()

    heading, sentence = read
    for page in (html, again):
        text = " ".join(" ".join(Page(page).words).split())
        assert heading in text
        assert sentence in text
        # Never both, and what offers payment is there exactly where it is said.
        may_pay = re.search(MAY_PAY, text) is not None
        assert not (may_pay and "do not pay again" in text)
        assert may_pay == (read in {UNHEARD, FAILED_PAGE})
        assert ("<wallet-pay-button" in page) == may_pay
    assert times_sent(wallet_sandbox, "authorization") == sent


@pytest.mark.parametrize(("happens", "read", "sent"), LOST)
def test_a_result_that_comes_after_the_customer_has_read_so_charges_nothing(
    order: PaymentOrder,
    wallet_sandbox: SandboxControl,
    happens: Callable[[Scene], object],
    read: tuple[str, str],
    sent: int,
) -> None:
    scene = Scene(order, wallet_sandbox)
    happens(scene)
    scene.browser.client.get(scene.session["resultUrl"])
    before = state_of(order)

    late = scene.post()

    assert times_sent(wallet_sandbox, "authorization") == sent
    assert state_of(order) == before
    if read in {UNHEARD, FAILED_PAGE}:
        assert (late["outcome"] in {"TRY_AGAIN", "DECLINED"}, late["next"]) == (True, "")
        another = scene.browser.open(order)
        assert another["reference"] != scene.session["reference"]
        assert scene.post(approve(wallet_sandbox, another))["outcome"] == "APPROVED"
        assert (state_of(order), times_sent(wallet_sandbox, "authorization")) == ("PAID", sent + 1)


@pytest.mark.parametrize("url", ["statusUrl", "resultUrl"])
def test_each_of_the_two_addresses_closes_the_attempt_and_says_so_to_staff(
    order: PaymentOrder, wallet_sandbox: SandboxControl, url: str
) -> None:
    scene = Scene(order, wallet_sandbox)
    for _ in range(2):
        assert scene.browser.client.get(scene.session[url]).status_code == 200
    closed = GatewayTransaction.objects.get()
    assert (closed.state, closed.explanation_code) == (S.ABANDONED, ExplanationCode.RESULT_NOT_RECEIVED)
    told = [(str(entry.text), entry.detail) for entry in payments.orders.order_timeline(order)]
    assert told[-1] == ("Given up", "No result of the wallet has come; nothing was sent")
    check_books()


def test_of_two_cards_in_one_sheet_each_reference_has_addresses_of_its_own(
    order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    scene = Scene(order, wallet_sandbox)
    first = scene.session["resultUrl"]
    scene.take_another_card()
    text = scene.browser.client.get(first).content.decode()
    assert "Your payment did not go through" in text
    # Nobody has asked about the second card: it still pays.
    assert scene.post()["outcome"] == "APPROVED"
