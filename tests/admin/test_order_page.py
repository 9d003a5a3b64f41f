"""The page of one order: its money, customer and goods, what is possible for this person, what happened."""

from __future__ import annotations

import logging
from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.admin.models import LogEntry
from django.core.exceptions import ObjectDoesNotExist
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from tests.admin.conftest import MakePerson, PaidOrder, payment_of
from tests.admin.pages import act, listed, look, operation_url, order_url, post
from tests.admin.scenery import CONTENT, HOSTILE, Scenery
from tests.models.rows import a_payment, a_transaction, a_wallet_attempt, an_order
from tests.support.shop import Shop
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder, TransactionEvent, WalletUsage

pytestmark = pytest.mark.django_db

# Money, and what is possible


def test_the_money_is_there_at_a_glance_and_the_story_says_who_and_why(
    operator: Client, paid_order: PaidOrder
) -> None:
    order = paid_order("30.00")
    payments.capture(order, Decimal("20.00"), by="ben", reason_code="shipped", comment="first parcel")
    payments.refund(order, Decimal("7.50"))

    page = look(operator, order_url(order))

    assert payment_of(order).opening.provider_transaction_id in page
    shown = {"Authorized": "€30.00", "Captured": "€20.00", "Refunded": "€7.50", "Under way": "€0.00"}
    assert page.facts.items() >= (shown | {"Not captured yet": "€10.00"}).items()
    told = [line.split(" €")[0] for line in page.story]
    assert told[:4] == ["Refund approved", "Refund requested", "Capture approved", "Capture requested"]
    assert "by ben" in page.story[3]
    assert "Goods shipped: first parcel" in page.story[3]
    assert "Order created" in page.story[-1]


def test_what_is_possible_has_a_button_for_who_may_do_it_and_what_is_not_has_a_reason(
    operator: Client, paid_order: PaidOrder, make_person: MakePerson
) -> None:
    order = paid_order()
    for permission, labels in (
        ("capture_payment", ["Capture €20.00…"]),
        ("reverse_payment", ["Reverse €20.00…"]),
        ("refund_payment", []),
        ("cancel_order", []),
    ):
        shown = look(make_person(permission), order_url(order)).buttons
        assert [label for label in shown if label.endswith("…")] == labels
    page = look(operator, order_url(order))
    assert page.links["Capture €20.00…"] == operation_url(order, "capture")
    assert page.links["Reverse €20.00…"] == operation_url(order, "reversal")
    assert operation_url(order, "refund") not in page
    assert "Refund: Nothing is captured." in page

    payments.capture(order)
    page = look(operator, order_url(order))

    assert operation_url(order, "capture") not in page
    assert page.links["Refund €20.00…"] == operation_url(order, "refund")
    assert "Reverse: A capture has been made" in page


def test_an_unknown_outcome_is_a_task_that_asking_the_gateway_can_end(
    operator: Client, paid_order: PaidOrder, shop: Shop
) -> None:
    order = paid_order()
    capture = shop.lose_answer(payments.capture, order, Decimal("5.00"))
    page = look(operator, order_url(order))
    page.says("Waits for a person", "Capture of €5.00: Unknown.")
    assert act("gatewaytransaction", "decide", capture.pk) in page

    sent = {"clientSystemTransactionId": capture.reference, "type": "ecom.capture", "amount": "5.00"}
    shop.gateway.approve(sent | {"currencyCode": "EUR"})
    page = post(operator, act("paymentorder", "query", order.pk))

    assert "Capture approved" in page.story[0]
    assert "Waits for a person" not in page
    assert LogEntry.objects.get().get_change_message() == "Asked the gateway."


def test_every_attempt_is_there_and_each_reference_stands_there_once(onlooker: Client) -> None:
    order = an_order()
    button = a_payment(order)
    a_wallet_attempt(a_transaction(button, kind="AUTHORIZATION", state="EXPIRED", reference=button.reference))
    tried = [a_payment(order, card_network="Net\u202e<b>", card_last_four="1783") for _ in range(2)]
    for payment in tried:
        a_transaction(payment, kind="CHECKOUT", state="REJECTED", reference=payment.reference)

    page = look(onlooker, order_url(order))

    assert page.text.index("Attempt 3") < page.text.index("Attempt 2")
    assert "Wallet button without a result" in page
    assert page.text.count("Net\\u202e<b> •••• 1783") == 2
    for payment in (button, *tried):
        assert page.html.count(f">{payment.reference}<") == 1
        assert page.html.count(f'id="wallet-attempt-{payment.number}"') == 1


def statements(captured: CaptureQueriesContext) -> list[str]:
    """What was asked of the database, without the marks of transactions."""
    quiet = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK")
    return [q["sql"] for q in captured.captured_queries if not q["sql"].upper().startswith(quiet)]


def test_the_page_takes_at_most_fifteen_statements_however_long_the_order_is(superuser: Client) -> None:
    scenery = Scenery()
    for order in (scenery.paid, scenery.waiting, scenery.untried):
        look(superuser, order_url(order))
        with CaptureQueriesContext(connection) as captured:
            look(superuser, order_url(order))
        asked = statements(captured)
        assert len(asked) <= 15, "\n".join(asked)


# The customer and the goods


def test_the_customer_is_shown_as_on_a_letter_and_what_the_wallet_gave_beside_it(superuser: Client) -> None:
    details = CONTENT["checkoutDetails"] | {"cardholderNationalIdentificationNumber": "850101-1234"}
    order = an_order(content=CONTENT | {"checkoutDetails": details})
    address = {"name": "Sam Other", "address1": "Elm 1", "postalCode": "0150", "locality": "Oslo"}
    paid = a_transaction(a_payment(order), kind="AUTHORIZATION", state="APPROVED")
    a_wallet_attempt(paid, given={"email": "sam@mail.example", "shippingAddress": address})

    page = look(superuser, order_url(order))

    told = {
        "Name": "Robin Example",
        "E-mail": "robin.example@mail.example",
        "Mobile phone": "49-15112345678",
        "Customer reference": "CUSTOMER-4711",
        "E-mail from the wallet": "sam@mail.example",
    }
    assert page.facts.items() >= told.items()
    assert "Billing address Long Street 12a 10115 Berlin DE" in page
    assert "Shipping address from the wallet Sam Other Elm 1 0150 Oslo" in page
    assert "850101-1234" not in page


@every(
    ("content", "said"),
    [
        ({}, "The shop gave no customer with this order."),
        ({"erased": True}, "The customer's data were erased."),
        (
            {"checkoutDetails": {"cardholderLastName": HOSTILE}},
            "<script>alert(1)</script> \\u202egnp.exe unbreakable",
        ),
    ],
)
def test_no_customer_an_erased_one_and_a_hostile_one_are_told_apart(
    superuser: Client, content: dict[str, object], said: str
) -> None:
    page = look(superuser, order_url(an_order(content=content)))
    assert said in page.text
    assert "<script>alert" not in page.html
    assert "\u202e" not in page
    assert ("gave no customer" in page) == (not content)


def test_only_who_may_see_customers_finds_orders_by_them(superuser: Client, onlooker: Client) -> None:
    customer = {
        "cardholderEmail": "eva@example.org",
        "cardholderFirstName": "Eva",
        "cardholderLastName": "Adams",
    }
    order = an_order(content={"checkoutDetails": customer})
    a_payment(order, card_last_four="1881")
    an_order(content={"checkoutDetails": {"cardholderEmail": "eve@example.org"}})

    for word in (" EVA@example.org ", "Adams", "adam", "1881"):
        assert listed(superuser, "paymentorder", {"q": word}) == [order]
        assert listed(onlooker, "paymentorder", {"q": word}) == []
    list_url = act("paymentorder", "changelist")
    assert "in the newest 10,000 orders" in look(superuser, list_url)
    assert "e-mail address" not in look(onlooker, list_url)


def test_goods_have_quantity_unit_price_tax_discount_and_the_sums_lead_to_the_total(onlooker: Client) -> None:
    cart = CONTENT["shoppingCartDetails"]
    strange = {"productName": "Odd", "productQuantity": 1, "unitAmount": "1,50\u202e"}
    order = an_order(
        content=CONTENT | {"shoppingCartDetails": cart | {"itemDetails": [*cart["itemDetails"], strange]}}
    )

    rows = list(look(onlooker, order_url(order)).rows())
    rows = rows[rows.index(["Item", "Sum"]) :]

    line = "Garden gloves SKU-1 2 \N{MULTIPLICATION SIGN} €7.00 · tax €2.08 (rate 19%)"
    assert rows[1] == [f"{line} · Spring \N{MINUS SIGN}€1.00", "€13.00"]
    assert "1,50\\u202e" in rows[3][0], "what cannot be read is shown as it is stored"
    assert rows[-4:] == [
        ["By post", "€4.90"],
        ["Gift card", "\N{MINUS SIGN}€10.00"],
        ["Tax, contained in the total", "€2.35"],
        ["Total", "€20.00"],
    ]


def test_a_very_long_cart_is_cut_and_says_how_much_is_missing(onlooker: Client) -> None:
    items = [{"productName": "Seeds"}] * 700
    page = look(onlooker, order_url(an_order(content={"shoppingCartDetails": {"itemDetails": items}})))
    shown = page.text.count("Seeds")
    assert 0 < shown < 700
    assert f"{700 - shown} more lines are not shown." in page


# The link to the shop's own page


def url_of_order(order: PaymentOrder) -> object:
    """Say what the order's number holds, as the shop's function."""
    if order.order_number == "unknown":
        raise ObjectDoesNotExist
    return {"none": None, "seven": 7}.get(order.order_number, order.order_number)


LINKED = (
    "/shop/orders/1/?a=1&b=2",
    "https://shop.example/o/1",
    "http://127.0.0.1:8000/",
    "HTTPS://a.example",
)
NOT_LINKED = (
    *("seven", "orders/1", "javascript:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)"),
    *("data:text/html,x", "ftp://a.example/", "mailto:a@b.example", "//evil.example/", "/\\evil.example"),
    *("https:///x", "https://[", "/a b"),
)


@every(
    ("url", "level", "is_linked"),
    [
        *((url, [], True) for url in LINKED),
        ("none", [], False),
        ("unknown", ["WARNING"], False),
        *((url, ["ERROR"], False) for url in NOT_LINKED),
    ],
)
def test_the_shops_own_page_is_linked_where_a_browser_may_go_there_and_a_fault_is_logged(
    url: str,
    level: list[str],
    is_linked: bool,
    onlooker: Client,
    settings: Settings,
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"ORDER_ADMIN_URL": f"{__name__}.url_of_order"}
    caplog.clear()
    with caplog.at_level(logging.INFO, "wallet_gateway.admin"):
        page = look(onlooker, order_url(an_order(order_number=url)))
    linked = {"Order in the shop": url} if is_linked else {}
    assert {label: at for label, at in page.links.items() if "in the shop" in label} == linked
    told = [record.levelname for record in caplog.records if record.name.startswith("wallet_gateway.admin")]
    assert told == level


# Cancelling, and the limits of the wallet button


@pytest.fixture
def keeper(make_person: MakePerson) -> Client:
    """Kim, who may cancel orders and raise limits."""
    return make_person("cancel_order", "raise_wallet_limits", name="kim")


def test_an_order_that_is_not_paid_is_cancelled_on_a_page_that_says_what_it_means(
    keeper: Client, shop: Shop
) -> None:
    order = shop.order(payable_until=timezone.now() + timedelta(days=2))
    url = act("paymentorder", "cancel", order.pk)
    shown = look(keeper, order_url(order))
    assert shown.links["Cancel the order…"] == url
    assert "Payable until" in shown
    page = look(keeper, url)
    page.says("this cannot be undone", "Keep the order")
    order.refresh_from_db()
    assert not order.is_cancelled

    page = post(keeper, url, note="sold <out>")

    assert "The order is cancelled. Its goods are free." in page
    told = " ".join(page.story)
    assert "Order cancelled by kim sold <out>" in told
    assert "Goods released" in told
    assert url not in page
    order.refresh_from_db()
    assert (order.state, order.cancelled_by) == ("CANCELLED", "kim")
    assert "sold <out>" in LogEntry.objects.get().change_message


def test_an_order_that_holds_money_is_refunded_instead(keeper: Client, paid_order: PaidOrder) -> None:
    order = paid_order(type="sale")
    assert "Cancel the order…" not in look(keeper, order_url(order)).links
    assert "Refund it instead" in post(keeper, act("paymentorder", "cancel", order.pk), note="").faults[0]


def test_a_closed_wallet_button_is_opened_again_for_a_reason_once(keeper: Client, shop: Shop) -> None:
    order = shop.order()
    payments.wallet.open_session(order, session="ada")
    PaymentOrder.objects.update(wallet_closed_at=timezone.now(), wallet_limit="AUTHORIZATIONS")
    page, url = look(keeper, order_url(order)), act("paymentorder", "wallet_limits", order.pk)
    assert "Wallet button closed by a limit: Authorizations" in page
    assert page.links["Raise the limits…"] == url
    assert post(keeper, url, reason="").faults == ["This field is required."]

    page = post(keeper, url, reason="called the customer")

    assert "The wallet button of the order is open again." in page
    order.refresh_from_db()
    assert (order.is_wallet_closed, WalletUsage.objects.get().raised) == (False, 1)
    decision = TransactionEvent.objects.get(kind="DECISION")
    assert decision.created_by == "kim"
    assert decision.explanation == "Limits of the wallet button raised: called the customer"
    assert "called the customer" in LogEntry.objects.get().change_message
    assert "No limit has closed the wallet button" in post(keeper, url, reason="again").faults[0]
    assert WalletUsage.objects.get().raised == 1
