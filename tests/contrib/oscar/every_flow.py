"""What `tests.contrib.test_bridges` runs in the oscar shop, in a process of its own."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission, User
from django.core import mail
from django.db import connections
from django.db import transaction as db_transaction
from django.test import Client
from django.urls import reverse
from oscar.apps.checkout.views import PaymentDetailsView
from oscar.core.loading import get_class, get_model
from oscar.test.factories import CountryFactory, create_product, create_voucher

from tests.contrib.page_blocks import lines_of
from wallet_gateway import payments
from wallet_gateway.contrib.oscar import cancellation, checks, loading, receivers, sources
from wallet_gateway.contrib.oscar.checkout import WalletPaymentMixin
from wallet_gateway.models import PaymentOrder, SentMail

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_django.fixtures import Settings

    from wallet_gateway.testing.control import SandboxControl

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore:update is not implemented in this backend"),  # of the simple search
]

PAGE = "docs/how-to/oscar.md"
EMAIL_BACKEND = "oscar.apps.customer.auth_backends.EmailBackend"
Order = get_model("order", "Order")
ADDRESS = {
    "first_name": "Robin",
    "last_name": "Wren",
    "line1": "Lerchenweg 7",
    "line4": "Hamburg",
    "postcode": "20095",
    "country": "DE",
}


@pytest.fixture(autouse=True)
def shop(wallet_sandbox: SandboxControl) -> SandboxControl:
    """A site, and a country that is shipped to; the sandbox stands for the gateway."""
    get_model("sites", "Site").objects.get_or_create(
        pk=1, defaults={"domain": "shop.example", "name": "shop"}
    )
    CountryFactory(iso_3166_1_a2="DE", iso_3166_1_a3="DEU", is_shipping_country=True)
    return wallet_sandbox


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401
    """What a shop changes by a subclass, changed for one test."""

    def change(**names: object) -> None:
        for name, value in names.items():
            monkeypatch.setattr(apps.get_app_config("wallet_gateway_oscar"), name, value)

    return change


def fill_the_basket(client: Client, price: str = "12.50") -> None:
    product = create_product(title="Mug", price=Decimal(price), num_in_stock=10)
    client.post(reverse("basket:add", args=[product.pk]), {"quantity": 2})


def place_an_order(client: Client, price: str = "12.50", **address: str) -> Any:  # noqa: ANN401
    """Walk a guest through oscar's checkout; give the answer to the last click."""
    fill_the_basket(client, price)
    client.post(reverse("checkout:index"), {"username": "robin@example.com", "options": "anonymous"})
    return check_out(client, **address)


def check_out(client: Client, **address: str) -> Any:  # noqa: ANN401
    client.post(reverse("checkout:shipping-address"), ADDRESS | address)
    client.get(reverse("checkout:shipping-method"))
    return client.post(reverse("checkout:preview"), {"action": "place_order"})


def pay(client: Client, sandbox: SandboxControl, outcome: str = "success") -> Any:  # noqa: ANN401
    """Decide on the gateway's page, and come back to the shop; give the page with the result."""
    attempt = to_pay().payments.order_by("-pk").first()
    assert attempt is not None
    back = sandbox.complete_checkout(attempt.reference, outcome)
    return client.get(client.get(back)["Location"])


def to_pay() -> PaymentOrder:
    return payments.get_order(Order.objects.get().number)


@pytest.fixture
def paid(client: Client, shop: SandboxControl) -> Any:  # noqa: ANN401
    """A guest's order of 25.00, paid."""
    place_an_order(client)
    pay(client, shop)
    return Order.objects.get()


@pytest.fixture
def clerk() -> Client:
    """Somebody of the shop's staff, who may see orders, and refund, capture and release."""
    user = User.objects.create_user("clerk", "clerk@example.com", "secret", is_staff=True)
    names = ("view_order", "refund_payment", "capture_payment", "reverse_payment")
    for app, model, name in [
        ("order", "order", names[0]),
        *(("wallet_gateway", "payment", n) for n in names[1:]),
    ]:
        content_type = get_model("contenttypes", "ContentType").objects.get_or_create(
            app_label=app, model=model
        )[0]
        user.user_permissions.add(
            Permission.objects.create(codename=name, content_type=content_type, name=name)
        )
    client = Client()
    client.force_login(user, EMAIL_BACKEND)
    return client


def create_event(clerk: Client, name: str, amount: str, **lines: object) -> str:
    """Create a payment event in oscar's dashboard; give the message that it shows then."""
    order = Order.objects.get()
    event_type = get_model("order", "PaymentEventType").objects.get(name=name)
    action = (
        {"line_action": "create_payment_event"} if lines else {"order_action": "create_order_payment_event"}
    )
    data = action | {"payment_event_type": event_type.code, "amount": amount} | lines
    answer = clerk.post(reverse("dashboard:order-detail", args=[order.number]), data, follow=True)
    assert answer.status_code == 200
    (message,) = answer.context["messages"]
    return str(message)


def books() -> tuple[list[tuple[str, Decimal]], list[tuple[str, Decimal]], tuple[Decimal, ...]]:
    """Transactions, payment events and totals, as oscar has them."""
    order = Order.objects.get()
    source = order.sources.get()
    return (
        [(one.txn_type, one.amount) for one in source.transactions.order_by("pk")],
        [(one.event_type.name, one.amount) for one in order.payment_events.order_by("pk")],
        (source.amount_allocated, source.amount_debited, source.amount_refunded),
    )


PAID_BOOKS = ([("Debit", Decimal(25))], [("Paid", Decimal(25))], (Decimal(25), Decimal(25), Decimal(0)))


# The checkout


def test_a_guest_pays_and_the_order_moves_on(client: Client, shop: SandboxControl) -> None:
    answer = place_an_order(client)
    order = Order.objects.get()
    assert (order.status, mail.outbox) == ("Pending", []), "nothing is confirmed before it is paid"
    assert answer["Location"] == to_pay().payments.get().redirect_url
    thanks = pay(client, shop)["Location"]
    assert thanks == reverse("checkout:thank-you")
    assert client.get(thanks).context["order"] == order
    order.refresh_from_db()
    assert order.status == "Being processed"
    assert books() == PAID_BOOKS
    (sent,) = mail.outbox
    assert sent.to == ["robin@example.com"]
    assert order.number in sent.body
    assert f"/accounts/order-status/{order.number}/" in sent.body


def test_goods_customer_and_address_are_sent_to_the_gateway(client: Client) -> None:
    place_an_order(client)
    content = to_pay().content
    assert content["amount"] == "25.00"
    (line,) = content["shoppingCartDetails"]["itemDetails"]
    assert (line["productName"], line["productQuantity"], line["unitAmount"]) == ("Mug", 2, "12.50")
    assert content["checkoutDetails"]["cardholderEmail"] == "robin@example.com"
    assert content["addressDetails"]["billingAddress"] == {
        "street": "Lerchenweg",
        "houseNumber": "7",
        "city": "Hamburg",
        "zipPostalCode": "20095",
        "countryCode": "DEU",
    }


@pytest.mark.parametrize(("line", "sent"), [("7 High Street", "7"), ("High Street", None)])
def test_an_address_without_house_number_is_not_sent(client: Client, line: str, sent: str | None) -> None:
    place_an_order(client, line1=line)
    address = to_pay().content.get("addressDetails", {}).get("billingAddress", {})
    assert address.get("houseNumber") == sent


def test_a_voucher_is_a_discount(client: Client) -> None:
    create_voucher()
    fill_the_basket(client)
    client.post(reverse("basket:vouchers-add"), {"code": "test"})
    client.post(reverse("checkout:index"), {"username": "robin@example.com", "options": "anonymous"})
    check_out(client)
    content = to_pay().content
    assert content["amount"] == "20.00"
    (discount,) = content["shoppingCartDetails"]["discountDetails"]
    assert discount["discountAmount"] == "5.00"


def test_lines_that_do_not_come_to_the_amount_are_left_out(client: Client) -> None:
    from wallet_gateway.contrib.oscar.order_details import order_details

    place_an_order(client)
    details = order_details(Order.objects.get(), Decimal("20.00"))
    assert details["amount"] == Decimal("20.00")
    assert "items" not in details


def test_a_customer_with_an_account_is_led_to_the_page_of_the_order(
    client: Client, shop: SandboxControl
) -> None:
    user = User.objects.create_user("ada", "ada@example.com", "secret")
    client.force_login(user, EMAIL_BACKEND)
    fill_the_basket(client)
    check_out(client)
    pay(client, shop)
    (sent,) = mail.outbox
    assert sent.to == ["ada@example.com"]
    assert f"/accounts/orders/{Order.objects.get().number}/" in sent.body


def test_who_cancels_can_pay_again_and_nothing_is_confirmed_before(
    client: Client, shop: SandboxControl
) -> None:
    place_an_order(client)
    again = reverse("wallet_gateway:checkout", args=[to_pay().token])
    assert again in pay(client, shop, "cancelled").content.decode()
    assert (Order.objects.get().status, mail.outbox) == ("Pending", [])
    client.post(again)
    pay(client, shop)
    assert Order.objects.get().status == "Being processed"


def test_a_gateway_that_does_not_answer_leaves_an_order_that_can_be_paid_later(
    client: Client, shop: SandboxControl
) -> None:
    shop.fault("checkout", "status_before", status=503, times=1)
    answer = place_an_order(client)
    assert answer["Location"] == reverse("wallet_gateway:pay", args=[to_pay().token])
    assert "Pay with your wallet" in client.get(answer["Location"]).content.decode()


def test_a_shop_with_a_wallet_button_sends_customers_to_its_page(client: Client, settings: Settings) -> None:
    given = settings.WALLET_GATEWAY
    default = given["GATEWAYS"]["default"] | {"WALLET": {"COUNTRY": "DE", "MERCHANT_NAME": "Shop"}}
    settings.WALLET_GATEWAY = given | {"GATEWAYS": {"default": default}}
    answer = place_an_order(client)
    assert answer["Location"] == reverse("wallet_gateway:pay", args=[to_pay().token])
    assert not to_pay().payments.exists(), "no page is opened that may not be needed"


def test_what_costs_nothing_is_confirmed_at_once(client: Client) -> None:
    answer = place_an_order(client, price="0.00")
    assert answer["Location"] == reverse("checkout:thank-you")
    assert not PaymentOrder.objects.exists()
    assert len(mail.outbox) == 1


def test_what_another_source_pays_is_left_to_it(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def by_invoice(view: Any, number: object, total: Any, **kwargs: object) -> None:  # noqa: ANN401
        kind, _ = get_model("payment", "SourceType").objects.get_or_create(name="Invoice")
        source = get_model("payment", "Source")(
            source_type=kind, amount_allocated=allocated or total.incl_tax
        )
        view.add_payment_source(source)

    monkeypatch.setattr(PaymentDetailsView, "handle_payment", by_invoice)
    allocated: Decimal | None = None
    assert place_an_order(client)["Location"] == reverse("checkout:thank-you")
    assert not PaymentOrder.objects.exists()
    Order.objects.all().delete()
    allocated = Decimal("5.00")
    place_an_order(client)
    assert str(to_pay().amount) == "20.00 EUR"


def test_a_customer_who_closed_the_window_pays_from_the_history(client: Client, shop: SandboxControl) -> None:
    client.force_login(User.objects.create_user("ada", "ada@example.com", "secret"), EMAIL_BACKEND)
    fill_the_basket(client)
    check_out(client)
    history = reverse("customer:order", args=[Order.objects.get().number])
    button = reverse("wallet_gateway:checkout", args=[to_pay().token])
    assert button in client.get(history).content.decode()
    client.post(button)
    pay(client, shop)
    assert button not in client.get(history).content.decode()


def test_an_order_that_the_gateway_must_not_have_is_not_placed(client: Client, settings: Settings) -> None:
    given = settings.WALLET_GATEWAY
    default = given["GATEWAYS"]["default"] | {"CURRENCIES": ["CHF"]}
    settings.WALLET_GATEWAY = given | {"GATEWAYS": {"default": default}}
    answer = place_an_order(client)
    assert "A problem occurred while placing this order" in answer.content.decode()
    assert not Order.objects.exists()
    assert client.get(reverse("basket:summary")).context["basket"].num_items == 2


def test_requests_in_a_transaction_are_no_hindrance(
    client: Client, clerk: Client, shop: SandboxControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(connections.settings["default"], "ATOMIC_REQUESTS", True)
    place_an_order(client)
    pay(client, shop)
    assert create_event(clerk, "Refunded", "3.00") == "Payment event created"
    assert books()[2] == (Decimal(25), Decimal(25), Decimal(3))


# What is reported


def test_an_event_that_is_delivered_twice_is_recorded_once(paid: Any) -> None:  # noqa: ANN401
    paid.set_status("Complete")
    receivers.confirm(order=to_pay())
    paid.refresh_from_db()
    assert (paid.status, paid.notes.count()) == ("Complete", 0), "an order is never put back"
    assert books() == PAID_BOOKS
    assert len(mail.outbox) == 1


def test_a_mail_that_could_not_be_sent_is_sent_later(
    client: Client, shop: SandboxControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("oscar.apps.communication.utils.EmailMultiAlternatives.send", lambda _: 1 / 0)
        place_an_order(client)
        pay(client, shop)
    assert (books(), mail.outbox) == (PAID_BOOKS, []), "the money is recorded whatever becomes of the mail"
    receivers.confirm(order=to_pay())
    assert len(mail.outbox) == 1
    assert SentMail.objects.count() == 1


def test_payments_of_something_else_are_no_business_of_oscar(shop: SandboxControl) -> None:
    other = payments.create_order(reference="TICKET-1", currency="EUR", amount=Decimal("5.00"))
    attempt = payments.start_checkout(other)
    shop.complete_checkout(attempt.reference, "success")
    assert payments.reconcile(other).is_paid
    assert not get_model("payment", "Source").objects.exists()


# Cancelled orders, and their goods


def kept_mugs() -> int:
    """Count the mugs that are kept for orders."""
    return get_model("partner", "StockRecord").objects.get().num_allocated or 0


def status_and_stock() -> tuple[str, int]:
    return Order.objects.get().status, kept_mugs()


def test_goods_are_kept_until_the_open_page_of_a_cancelled_order_has_ended(
    client: Client, pass_time: Callable[..., None]
) -> None:
    place_an_order(client)
    Order.objects.get().set_status("Cancelled")
    order = to_pay()
    assert (order.state, order.is_released, order.cancelled_by) == ("CANCELLED", False, "oscar")
    assert status_and_stock() == ("Cancelled", 2)
    pass_time(minutes=45)
    assert to_pay().is_released
    assert status_and_stock() == ("Cancelled", 0)


@pytest.mark.parametrize("page", ["detail", "list"])
def test_the_staff_cancel_from_the_dashboard(
    page: str,
    client: Client,
    clerk: Client,
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
) -> None:
    given = settings.WALLET_GATEWAY
    default = given["GATEWAYS"]["default"] | {"WALLET": {"COUNTRY": "DE", "MERCHANT_NAME": "Shop"}}
    settings.WALLET_GATEWAY = given | {"GATEWAYS": {"default": default}}
    monkeypatch.setitem(connections.settings["default"], "ATOMIC_REQUESTS", True)
    place_an_order(client)
    order = Order.objects.get()
    if page == "detail":
        address = reverse("dashboard:order-detail", args=[order.number])
        action = {"order_action": "change_order_status"}
    else:
        address = reverse("dashboard:order-list")
        action = {"action": "change_order_statuses", "selected_order": order.pk}
    clerk.post(address, action | {"new_status": "Cancelled"})
    assert (to_pay().state, to_pay().is_released) == ("CANCELLED", True), "nothing was begun"
    assert status_and_stock() == ("Cancelled", 0)


def test_a_cancellation_that_is_undone_leaves_the_order_payable(client: Client) -> None:
    place_an_order(client)
    with db_transaction.atomic():
        Order.objects.get().set_status("Cancelled")
        assert not to_pay().is_cancelled, "not before the shop's own transaction is committed"
        db_transaction.set_rollback(True)
    assert not to_pay().is_cancelled
    assert status_and_stock() == ("Pending", 2)


def test_goods_are_freed_once_however_often_it_is_reported(
    client: Client, pass_time: Callable[..., None]
) -> None:
    place_an_order(client)
    Order.objects.get().set_status("Cancelled")
    pass_time(minutes=45)
    get_model("partner", "StockRecord").objects.get().allocate(3)  # by somebody else's order
    cancellation.release(order=to_pay())
    assert kept_mugs() == 3


def test_goods_that_left_the_catalogue_are_no_hindrance(
    client: Client, pass_time: Callable[..., None]
) -> None:
    place_an_order(client)
    get_model("partner", "StockRecord").objects.all().delete()
    Order.objects.get().set_status("Cancelled")
    pass_time(minutes=45)
    assert not to_pay().outbox_events.filter(delivered_at=None).exists()


def test_an_order_cancelled_in_the_admin_is_cancelled_in_oscar_when_it_is_released(
    client: Client, pass_time: Callable[..., None]
) -> None:
    place_an_order(client)
    payments.cancel(to_pay(), by="anna")
    assert status_and_stock() == ("Pending", 2)
    pass_time(minutes=45)
    assert status_and_stock() == ("Cancelled", 0)
    assert to_pay().cancelled_by == "anna"


@pytest.mark.parametrize("pipeline", [(), ("Being processed",)])
def test_a_late_payment_moves_no_order_on_and_is_shown_to_the_staff(
    client: Client,
    clerk: Client,
    shop: SandboxControl,
    monkeypatch: pytest.MonkeyPatch,
    pass_time: Callable[..., None],
    pipeline: tuple[str, ...],
) -> None:
    monkeypatch.setitem(Order.pipeline, "Cancelled", pipeline)
    place_an_order(client)
    Order.objects.get().set_status("Cancelled")
    pay(client, shop)
    order = Order.objects.get()
    assert (to_pay().state, order.status) == ("FROZEN", "Cancelled")
    (note,) = order.notes.all()
    assert "after the cancellation" in note.message
    assert books() == PAID_BOOKS
    pass_time(minutes=45)
    assert kept_mugs() == 2, "there is money for it"
    assert create_event(clerk, "Refunded", "25.00") == "Payment event created"
    pass_time(minutes=5)
    assert status_and_stock() == ("Cancelled", 0)
    assert mail.outbox == []


@pytest.mark.parametrize("by", ["oscar", "admin"])
def test_a_late_payment_that_is_accepted_is_left_to_the_staff(
    client: Client,
    shop: SandboxControl,
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
    by: str,
) -> None:
    given = settings.WALLET_GATEWAY
    default = given["GATEWAYS"]["default"] | {"LATE_PAYMENT": "accept"}
    settings.WALLET_GATEWAY = given | {"GATEWAYS": {"default": default}}
    monkeypatch.setitem(Order.pipeline, "Cancelled", ("Being processed",))
    place_an_order(client)
    if by == "oscar":
        Order.objects.get().set_status("Cancelled")
    else:
        payments.cancel(to_pay(), by="anna")
    pay(client, shop)
    order = Order.objects.get()
    assert to_pay().is_paid
    assert status_and_stock() == ("Cancelled" if by == "oscar" else "Pending", 2)
    assert order.notes.filter(message__contains="after the cancellation").count() == 1
    assert (books(), mail.outbox) == (PAID_BOOKS, [])


def test_a_payment_of_a_cancelled_order_moves_it_not_on_even_if_the_payment_was_not_cancelled(
    client: Client, shop: SandboxControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(Order.pipeline, "Cancelled", ("Being processed",))
    place_an_order(client)
    # As by a process that died after it had committed the status.
    Order.objects.update(status="Cancelled")
    pay(client, shop)
    assert to_pay().is_paid
    assert (status_and_stock(), mail.outbox) == (("Cancelled", 2), [])
    assert Order.objects.get().notes.count() == 1


def test_a_paid_order_that_is_cancelled_keeps_its_money_and_says_so(paid: Any) -> None:  # noqa: ANN401
    paid.set_status("Cancelled")
    assert to_pay().is_paid
    assert status_and_stock() == ("Cancelled", 2)
    (note,) = paid.notes.all()
    assert "Refund it" in note.message
    payments.refund(to_pay())
    receivers.confirm(order=to_pay())
    assert paid.notes.count() == 1


def test_a_refunded_order_is_cancelled_without_a_note(paid: Any) -> None:  # noqa: ANN401
    payments.refund(to_pay())
    paid.set_status("Cancelled")
    assert not paid.notes.exists()


# Time to pay


def test_an_order_that_nobody_pays_in_time_is_cancelled_and_its_goods_are_freed(
    client: Client,
    config: Any,  # noqa: ANN401
    pass_time: Callable[..., None],
) -> None:
    config(minutes_to_pay=20)
    place_an_order(client)
    order = Order.objects.get()
    assert to_pay().payable_until == order.date_placed + timedelta(minutes=20)
    pass_time(minutes=10)
    assert status_and_stock() == ("Pending", 2)
    pass_time(minutes=45)
    assert status_and_stock() == ("Cancelled", 0)
    assert order.status_changes.get().new_status == "Cancelled"
    assert not order.notes.exists()


def test_without_the_setting_there_is_no_end(client: Client) -> None:
    place_an_order(client)
    assert to_pay().payable_until is None


def test_an_order_that_is_paid_in_time_is_left_alone(
    client: Client,
    shop: SandboxControl,
    config: Any,  # noqa: ANN401
    pass_time: Callable[..., None],
) -> None:
    config(minutes_to_pay=20)
    place_an_order(client)
    pay(client, shop)
    pass_time(minutes=45)
    assert status_and_stock() == ("Being processed", 2)


@pytest.mark.parametrize("what", ["moved on", "gift card"])
def test_an_order_that_was_paid_in_another_way_is_left_to_the_staff(
    client: Client,
    config: Any,  # noqa: ANN401
    pass_time: Callable[..., None],
    what: str,
) -> None:
    config(minutes_to_pay=20)
    place_an_order(client)
    order = Order.objects.get()
    if what == "moved on":
        order.set_status("Being processed")
    else:
        kind, _ = get_model("payment", "SourceType").objects.get_or_create(name="Gift card")
        order.sources.create(source_type=kind, currency="EUR", amount_allocated=Decimal(5))
    status = order.status
    pass_time(minutes=60)
    assert to_pay().is_released
    assert status_and_stock() == (status, 2)
    (note,) = order.notes.all()
    assert repr(status) in note.message
    order.refresh_from_db()
    order.set_status("Cancelled")
    assert status_and_stock() == ("Cancelled", 0), "the staff have decided"


# The dashboard


def test_the_staff_refund_from_the_dashboard(clerk: Client, paid: Any) -> None:  # noqa: ANN401
    assert create_event(clerk, "Refunded", "3.00") == "Payment event created"
    transactions, events, totals = books()
    assert transactions[1:] == [("Refund", Decimal(3))]
    assert events[1:] == [("Refunded", Decimal(3))]
    assert totals == (Decimal(25), Decimal(25), Decimal(3))
    refund = to_pay().payments.get().transactions.get(kind="REFUND")
    assert (refund.created_by, paid.payment_events.first().reference) == ("clerk", refund.reference)


def test_a_refund_of_lines_names_them(clerk: Client, paid: Any) -> None:  # noqa: ANN401
    line = paid.lines.get()
    chosen = {"selected_line": line.pk, f"selected_line_qty_{line.pk}": 1}
    assert create_event(clerk, "Refunded", "12.50", **chosen) == "Payment event created"
    assert (
        line.payment_event_quantity(get_model("order", "PaymentEventType").objects.get(name="Refunded")) == 1
    )


def test_a_second_click_refunds_nothing(clerk: Client, paid: Any) -> None:  # noqa: ANN401
    create_event(clerk, "Refunded", "3.00")
    assert "wait for a minute" in create_event(clerk, "Refunded", "3.00")
    assert books()[2][2] == Decimal(3)


def test_a_refund_whose_answer_is_lost_is_recorded_when_the_gateway_has_said_so(
    clerk: Client,
    paid: Any,  # noqa: ANN401
    shop: SandboxControl,
) -> None:
    shop.fault("refund", "drop_after", times=1)
    assert "not known yet" in create_event(clerk, "Refunded", "3.00")
    assert books() == PAID_BOOKS
    payments.reconcile(to_pay(), everything=True)
    assert books()[1][1:] == [("Refunded", Decimal(3))]
    assert books()[2][2] == Decimal(3)


def test_a_refund_that_the_gateway_declines_is_an_error_with_its_reason(
    clerk: Client,
    paid: Any,  # noqa: ANN401
    shop: SandboxControl,
) -> None:
    shop.fault("refund", "errored", times=1)
    assert create_event(clerk, "Refunded", "3.00").startswith("Unable to create payment event")
    assert books() == PAID_BOOKS


@pytest.mark.parametrize("amount", ["25.01", "nan", "-1", "0", "0.001"])
def test_an_amount_that_cannot_be_refunded_is_refused(clerk: Client, paid: Any, amount: str) -> None:  # noqa: ANN401
    assert create_event(clerk, "Refunded", amount).startswith("Unable to create payment event")
    assert books() == PAID_BOOKS


def test_who_may_only_look_at_orders_may_not_refund(clerk: Client, paid: Any) -> None:  # noqa: ANN401
    Permission.objects.filter(codename="refund_payment").delete()
    assert "Ask for the permission" in create_event(clerk, "Refunded", "3.00")
    assert books() == PAID_BOOKS


def test_a_refund_above_the_limit_waits_for_a_second_person(
    clerk: Client,
    paid: Any,  # noqa: ANN401
    settings: Settings,
) -> None:
    given = settings.WALLET_GATEWAY
    default = given["GATEWAYS"]["default"] | {"APPROVAL_LIMITS": {"EUR": "2.00"}}
    settings.WALLET_GATEWAY = given | {"GATEWAYS": {"default": default}}
    assert "needs a second person" in create_event(clerk, "Refunded", "3.00")
    (waiting,) = payments.approvals.waiting()
    second = User.objects.create_superuser("boss", "boss@example.com", "secret")
    payments.approvals.approve(waiting, by=second)
    assert books()[1][1:] == [("Refunded", Decimal(3))]


def test_a_refund_made_elsewhere_is_in_oscars_books_too(paid: Any) -> None:  # noqa: ANN401
    payments.refund(to_pay(), Decimal("4.00"))
    assert books()[0][1:] == [("Refund", Decimal(4))]
    assert books()[1][1:] == [("Refunded", Decimal(4))]


def test_the_shops_own_events_stay_oscars(clerk: Client, paid: Any) -> None:  # noqa: ANN401
    get_model("order", "PaymentEventType").objects.create(name="Reminded")
    assert create_event(clerk, "Reminded", "3.00") == "Payment event created"
    assert books()[1][1:] == [("Reminded", Decimal(3))]
    assert books()[2] == PAID_BOOKS[2]


# Pre-authorizations


def test_a_reserved_amount_is_captured_when_the_goods_leave(
    client: Client,
    clerk: Client,
    shop: SandboxControl,
    config: Any,  # noqa: ANN401
) -> None:
    config(payment_type="preauthorization")
    place_an_order(client)
    pay(client, shop)
    order = Order.objects.get()
    assert (order.status, len(mail.outbox)) == ("Being processed", 1)
    assert books() == (
        [("Authorise", Decimal(25))],
        [("Authorised", Decimal(25))],
        (Decimal(25), Decimal(0), Decimal(0)),
    )
    # As a shop's own handler does when a parcel leaves: a program, without a user.
    event_type = get_model("order", "PaymentEventType").objects.get(name="Paid")
    get_class("order.processing", "EventHandler")().handle_payment_event(order, event_type, Decimal("10.00"))
    assert create_event(clerk, "Paid", "15.00") == "Payment event created"
    assert books()[0][1:] == [("Debit", Decimal(10)), ("Debit", Decimal(15))]
    assert books()[2] == (Decimal(25), Decimal(25), Decimal(0))
    assert len(mail.outbox) == 1


def test_a_reserved_amount_is_released_as_a_whole(
    client: Client,
    clerk: Client,
    shop: SandboxControl,
    config: Any,  # noqa: ANN401
) -> None:
    config(payment_type="preauthorization")
    place_an_order(client)
    pay(client, shop)
    assert "Only the whole" in create_event(clerk, "Released", "5.00")
    assert create_event(clerk, "Released", "25.00") == "Payment event created"
    assert books()[0][1:] == [("Release", Decimal(25))]
    assert to_pay().state == "REVERSED"


# Another brand in the same project


@pytest.fixture
def outlet(settings: Settings, shop: SandboxControl) -> None:
    """A second gateway that numbers its orders separately."""
    gateways = settings.WALLET_GATEWAY["GATEWAYS"]
    second = gateways["default"] | {"NUMBERING": "outlet"}
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"GATEWAYS": gateways | {"outlet": second}}


def test_an_order_of_another_brand_with_the_same_number_is_not_oscars(
    client: Client, shop: SandboxControl, outlet: None
) -> None:
    place_an_order(client)
    placed = Order.objects.get()
    theirs = payments.create_order(
        reference=placed.number, currency="EUR", amount=Decimal("9.00"), gateway="outlet"
    )
    attempt = payments.start_checkout(theirs)
    shop.complete_checkout(attempt.reference, "success")
    assert payments.reconcile(theirs).is_paid
    assert books() == ([], [], (Decimal(0), Decimal(0), Decimal(0)))
    assert mail.outbox == []

    ours = sources.order_to_pay(placed.sources.get())
    assert ours == payments.get_order(placed.number, gateway="default")
    placed.set_status("Cancelled")
    ours.refresh_from_db()
    theirs.refresh_from_db()
    assert (ours.is_cancelled, theirs.is_cancelled) == (True, False)


def test_oscars_orders_are_not_spread_over_two_numberings(
    client: Client,
    outlet: None,
    config: Any,  # noqa: ANN401
    caplog: pytest.LogCaptureFixture,
) -> None:
    config(order_details=lambda order, amount: {"currency": "EUR", "amount": amount, "gateway": "outlet"})
    place_an_order(client)
    # Oscar logs it, and tells the customer that something went wrong.
    assert "give the gateways 'default' and 'outlet' the same NUMBERING" in caplog.text
    assert not Order.objects.exists()
    assert not PaymentOrder.objects.exists()


# Settings


def test_the_guide_is_followed(paid: Any, follow: Callable[..., None]) -> None:  # noqa: ANN401
    follow(PAGE)


def test_a_shop_writes_less_than_fifteen_lines() -> None:
    written = "".join(lines_of(PAGE, file) for file in ("settings.py", "urls.py"))
    assert len(written.splitlines()) < 15


def test_the_classes_of_a_shop_that_has_forked_an_app_are_extended_once() -> None:
    class Forked(PaymentDetailsView):  # type: ignore[misc]
        pass

    class Extended(WalletPaymentMixin, PaymentDetailsView):  # type: ignore[misc]
        pass

    path = "checkout.views.PaymentDetailsView"
    extended = loading._extended(path, Forked)
    assert issubclass(extended, WalletPaymentMixin)
    assert issubclass(extended, Forked)
    assert loading._extended(path, Forked) is extended
    assert loading._extended(path, Extended) is Extended


def test_a_shop_that_is_set_up_passes_the_checks() -> None:
    assert checks.check_shop() == []


def test_a_missing_setting_is_told_before_orders_are_placed_unpaid(
    monkeypatch: pytest.MonkeyPatch,
    config: Any,  # noqa: ANN401
) -> None:
    monkeypatch.setattr(checks, "get_class", lambda *_: PaymentDetailsView)
    config(paid_status="Being proccessed", cancelled_status="Canceled", minutes_to_pay=20)
    first, second, third = checks.check_shop()
    assert (first.id, second.id, third.id) == tuple(f"wallet_oscar.E00{n}" for n in (1, 2, 3))
    assert "OSCAR_DYNAMIC_CLASS_LOADER" in str(first.hint)
    assert "'Being proccessed'" in second.msg
    assert "'Canceled'" in third.msg
    config(minutes_to_pay=None)
    assert len(checks.check_shop()) == 2, "a shop without that status has no orders that end by themselves"


def test_the_setting_without_the_app_is_told_at_start(monkeypatch: pytest.MonkeyPatch) -> None:
    class Another(PaymentDetailsView):  # type: ignore[misc]
        pass

    monkeypatch.setattr(apps, "is_installed", lambda name: False)
    with pytest.raises(Exception, match="INSTALLED_APPS"):
        loading._extended("checkout.views.PaymentDetailsView", Another)
