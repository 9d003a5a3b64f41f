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

from tests.api.browser import FAILED, Browser
from tests.api.wallet.test_button import CHALLENGE, state_of
from tests.money.wallet.customers import CARD, Customer, detail_for
from tests.support.gateway import Killed, Sent, answering, killing, losing
from tests.support.shop import Shop
from tests.web.page_reader import Page
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction, PaymentOrder

pytestmark = pytest.mark.django_db

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
    customer: Customer
    browser: Browser = field(default_factory=Browser)

    def __post_init__(self) -> None:
        self.gateway = self.customer.gateway
        self.session: Mapping[str, Any] = self.browser.open(self.order)
        self.detail = detail_for(self.session["reference"])

    def post(self, detail: object = None) -> dict[str, Any]:
        """Let a result reach the shop, whose answer is lost unless the test reads it."""
        answer: dict[str, Any] = self.browser.post("result", self.order, detail or self.detail).json()
        return answer

    def take_another_card(self) -> None:
        """Take a second card in the same sheet, whose result is lost."""
        self.decline()
        given = self.browser.post("reference", self.order, {"after": self.session["reference"]}).json()
        self.detail = detail_for(given["reference"])
        self.session = {**self.session, **given}

    def decline(self) -> None:
        self.gateway.answers.append(answering(state="Errored"))
        self.post()

    def executed_and_unknown(self) -> None:
        def executed(sent: Sent) -> tuple[int, object]:
            self.gateway.approve(sent)
            return losing(sent)

        self.gateway.answers.append(executed)
        self.post()
        self.customer.shop.clock.by += timedelta(seconds=10)

    def not_executed_and_unknown(self) -> None:
        self.gateway.answers.append(losing)
        self.post()

    def at_the_bank(self) -> None:
        self.gateway.account = CARD
        self.gateway.answers.append(CHALLENGE)
        self.post(detail_for(self.session["reference"], cryptogram=None, eciIndicator=None))

    def card_not_found_out(self) -> None:
        self.gateway.cards = [losing] * 4
        self.post()

    def out_of_time(self) -> None:
        self.customer.shop.clock.by += timedelta(minutes=61)
        payments.sweep()

    def paid_in_another_browser(self) -> None:
        other = Browser()
        other.post("result", self.order, detail_for(other.open(self.order)["reference"]))

    def killed(self) -> None:
        """Let the process die while its authorization is out."""
        self.gateway.answers.append(killing)
        with pytest.raises(Killed):
            self.post()


def cancelled(scene: Scene) -> None:
    payments.orders.cancel(scene.order, by="ada", note="sold out")


def time_over(scene: Scene) -> None:
    PaymentOrder.objects.update(payable_until=timezone.now())


Happens = Callable[[Scene], object]
LOST: list[tuple[str, Happens, tuple[str, str], int]] = [
    # What happened, what the customer reads, and how many authorizations were sent.
    ("nothing", lambda _: None, UNHEARD, 0),
    ("another card", Scene.take_another_card, UNHEARD, 1),
    ("out of time", Scene.out_of_time, UNHEARD, 0),
    ("the answer", Scene.post, PAID, 1),
    ("declined", Scene.decline, FAILED_PAGE, 1),
    ("executed", Scene.executed_and_unknown, PAID, 1),
    ("not executed", Scene.not_executed_and_unknown, CHECKED, 1),
    ("at the bank", Scene.at_the_bank, CHECKED, 1),
    ("killed", Scene.killed, CHECKED, 1),
    ("card unknown", Scene.card_not_found_out, FAILED_PAGE, 0),
    ("sheet failed", lambda scene: scene.post(FAILED), UNHEARD, 0),
    ("payment page", lambda scene: payments.start_checkout(scene.order), OTHER_PAGE, 0),
    ("paid elsewhere", Scene.paid_in_another_browser, PAID, 1),
    ("cancelled", cancelled, OVER, 0),
    ("time over", time_over, OVER, 0),
]


@pytest.mark.parametrize(("happens", "read", "sent"), [row[1:] for row in LOST], ids=[row[0] for row in LOST])
def test_what_was_sent_decides_what_the_customer_reads_and_a_result_that_comes_later_charges_nothing(
    order: PaymentOrder, customer: Customer, happens: Happens, read: tuple[str, str], sent: int
) -> None:
    scene = Scene(order, customer)
    happens(scene)
    client = scene.browser.client

    asked = client.get(scene.session["statusUrl"])
    assert (asked.status_code, asked.json()["next"]) == (200, scene.session["resultUrl"])
    heading, sentence = read
    for _ in range(2):
        page = client.get(scene.session["resultUrl"]).content.decode()
        text = " ".join(" ".join(Page(page).words).split())
        assert heading in text
        assert sentence in text
        # Never both, and what offers payment is there exactly where it is said.
        may_pay = re.search(MAY_PAY, text) is not None
        assert not (may_pay and "do not pay again" in text)
        assert may_pay == (read in {UNHEARD, FAILED_PAGE})
        assert ("<wallet-pay-button" in page) == may_pay
    before = state_of(order)

    late = scene.post()

    assert (len(scene.gateway.sent), state_of(order)) == (sent, before)
    if read in {UNHEARD, FAILED_PAGE}:
        assert (late["outcome"] in {"TRY_AGAIN", "DECLINED"}, late["next"]) == (True, "")
        another = scene.browser.open(order)["reference"]
        assert another != scene.session["reference"]
        assert scene.post(detail_for(another))["outcome"] == "APPROVED"
        assert (state_of(order), len(scene.gateway.sent)) == ("PAID", sent + 1)


@pytest.mark.parametrize("url", ["statusUrl", "resultUrl"])
def test_each_of_the_two_addresses_closes_the_attempt_and_says_so_to_staff(
    order: PaymentOrder, customer: Customer, url: str
) -> None:
    scene = Scene(order, customer)
    for _ in range(2):
        assert scene.browser.client.get(scene.session[url]).status_code == 200
    closed = GatewayTransaction.objects.get()
    assert (closed.state, closed.explanation_code) == ("ABANDONED", "result_not_received")
    told = [(str(entry.text), entry.detail) for entry in payments.orders.order_timeline(order)]
    assert told[-1] == ("Given up", "No result of the wallet has come; nothing was sent")


def test_of_two_cards_in_one_sheet_each_reference_has_addresses_of_its_own(
    shop: Shop, order: PaymentOrder, customer: Customer
) -> None:
    scene = Scene(order, customer)
    first = scene.session["resultUrl"]
    scene.take_another_card()
    assert "Your payment did not go through" in scene.browser.client.get(first).content.decode()
    # Nobody has asked about the second card: it still pays.
    assert scene.post()["outcome"] == "APPROVED"
