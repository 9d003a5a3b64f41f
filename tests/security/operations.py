"""Every function of the public API, carried out with success and with every failure of the gateway."""

from __future__ import annotations

import contextlib
import inspect
import itertools
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from tests.api.app import App
from tests.api.browser import CARD, Browser, approve
from tests.security import canaries as canary
from tests.security.canaries import Canaries
from tests.security.gateway_faults import FAULTS, UNREACHABLE, FaultyTransport
from tests.support.personal import ADDRESS, CARDHOLDER, EMAIL
from tests.support.shop import MovedClock
from wallet_gateway import payments
from wallet_gateway.domain.states import TransactionKind, TransactionState
from wallet_gateway.models import (
    BatchKind,
    Discrepancy,
    GatewayPause,
    GatewayTransaction,
    MigratedDeposit,
    PaymentOrder,
    WalletKey,
)
from wallet_gateway.payments.errors import AwaitingApproval, OperationError
from wallet_gateway.payments.prices import PriceLine, items_from
from wallet_gateway.testing.control import SandboxControl

DEPOSITS = 40
MUG = payments.Item(product_id="MUG", product_name="Mug", unit_amount=Decimal("10.00"), quantity=2)
MODULES = (
    payments.orders,
    payments.prices,
    payments.follow_ups,
    payments.wallet,
    payments.approvals,
    payments.batches,
    payments.maintenance,
)


PUBLIC = {
    getattr(module, name): f"{module.__name__.rpartition('.')[2]}.{name}"
    for module in MODULES
    for name in module.__all__
    if inspect.isfunction(getattr(module, name))
}
"""Every function that a shop may call, with its name."""


def _account(name: str) -> User:
    """Return somebody who may do everything."""
    return User.objects.filter(username=name).first() or User.objects.create_superuser(name)


class Shop:
    """A shop that calls everything there is, and keeps what it was told."""

    def __init__(
        self, control: SandboxControl, transport: FaultyTransport, clock: MovedClock, canaries: Canaries
    ) -> None:
        self.control, self.transport, self.clock, self.canaries = control, transport, clock, canaries
        self.called: set[str] = set()
        self.told: list[str] = []
        self.browsers: list[Client] = []
        self._numbers = itertools.count(1)

    def call(self, function: Callable[..., Any], *given: Any, **named: Any) -> Any:  # noqa: ANN401
        """Call a public function; its refusal is an answer, too."""
        self.called.add(PUBLIC[function])
        try:
            answer = function(*given, **named)
            if inspect.isgenerator(answer):
                answer = list(answer)
        except OperationError as error:
            self.told.append(f"{error!r} {error}")
            return error.approval if isinstance(error, AwaitingApproval) else None
        return answer

    @contextlib.contextmanager
    def failing(self, fault: str) -> Iterator[None]:
        self.transport.fault = fault
        try:
            yield
        finally:
            self.transport.fault = ""
            # A gateway that has failed too often is left alone for a while: another test's subject.
            GatewayPause.objects.all().delete()

    # Orders

    def order(self, **given: Any) -> PaymentOrder:
        details: dict[str, Any] = {
            "reference": f"SHOP-{next(self._numbers)}",
            "currency": "EUR",
            "items": [MUG],
            "billing_address": ADDRESS,
            **CARDHOLDER,
        }
        order: PaymentOrder = self.call(payments.create_order, **details | given)
        self.canaries.plant("order token", order.token)
        return order

    def paid(self, type: str = "sale", **given: Any) -> PaymentOrder:  # noqa: A002
        order = self.order(type=type, **given)
        attempt = self.call(payments.start_checkout, order)
        location = self.control.complete_checkout(attempt.reference, "success")
        self.canaries.plant("return token", location.partition("/return/")[2].rstrip("/").partition("/")[0])
        paid: PaymentOrder = self.call(payments.reconcile, attempt)
        return paid

    def everything_fails(self) -> None:
        for fault in (*FAULTS, UNREACHABLE):
            self._money(fault)
            self._sheet(fault)

    def _money(self, fault: str) -> None:
        reserved, released = self.paid("preauthorization"), self.paid("preauthorization")
        sold = self.paid()
        why = {"by": "anna", "comment": f"about {canary.CARD_NUMBERS[1]}"}
        with self.failing(fault):
            self.call(payments.start_checkout, self.order())
            self.call(payments.capture, reserved, Decimal("5.00"), **why)
            self.call(payments.refund, sold, Decimal("1.00"), **why)
            self.call(payments.refund_migrated, f"OLD-{next(self._numbers)}", Decimal("1.00"), "EUR", **why)
            self.call(payments.reconcile, sold, everything=True)
            self.call(payments.gateway_records, sold)
            self.call(payments.maintenance.query_status, reserved)
            self.call(payments.reverse, released, **why)
            self.call(payments.maintenance.sweep)
        self.call(payments.reconcile, reserved, everything=True)

    # The wallet, in a browser and by the functions

    def _sheet(self, fault: str) -> None:
        browser, order = self._browser(), self.order()
        session = browser.open(order)
        self._keep_keys()
        detail = self._approved(session, CARD if fault == "refused" else "CRYPTOGRAM_3DS")
        reference = {"reference": session["reference"]}
        self._say(browser.post("price", order, reference | {"shippingAddress": canary.WALLET_ADDRESS}))
        for event in ("ERROR", "CLOSED"):
            message = f"{canary.CARD_NUMBERS[0]}, {detail.get('cryptogram', '')}, {EMAIL}"
            self._say(browser.post("event", order, reference | {"event": event, "message": message}))
        with self.failing(fault):
            self._say(browser.post("result", order, detail))
            self._say(browser.post("result", order, detail))
            self._say(browser.post("reference", order, {"after": session["reference"]}))
        self._say(browser.post("session", order))
        self._app(fault)

    def _app(self, fault: str) -> None:
        """Pay by an access token; it is refused at last, where it is another order's."""
        line = PriceLine(product_id="MUG", product_name="Mug", price=Decimal("20.00"))
        self.call(items_from, [line], currency="EUR", total=Decimal("19.00"), prices_include_tax=True)
        order = self.order()
        token = self.call(payments.orders.access_token, order)
        self.canaries.plant("access token", token)
        app = App(order, token=token)
        session = app.open()
        self._keep_keys()
        with self.failing(fault):
            self._say(app.post("checkout"))
            self._say(app.post("result", self._approved(session, "CRYPTOGRAM_3DS")))
        self._say(app.post("session", order=self.order()))

    def _browser(self) -> Browser:
        browser = Browser()
        browser.client.cookies["csrftoken"] = canary.CSRF_TOKEN
        post = browser.client.post
        browser.client.post = lambda *given, **named: post(  # type: ignore[method-assign]
            *given, **named | {"HTTP_X_CSRFTOKEN": canary.CSRF_TOKEN}
        )
        self.browsers.append(browser.client)
        return browser

    def _approved(self, session: dict[str, Any], method: str) -> dict[str, Any]:
        detail = approve(self.control, session, method)
        self.canaries.plant("payment account", detail["transactionAccountId"])
        if "cryptogram" in detail:
            self.canaries.plant("cryptogram", detail["cryptogram"])
        return detail | {"email": EMAIL, "shippingAddress": canary.WALLET_ADDRESS}

    def _keep_keys(self) -> None:
        sealed = Fernet(canary.FERNET_KEY)
        for key in WalletKey.objects.exclude(api_key=b""):
            self.canaries.plant("api key", sealed.decrypt(bytes(key.api_key)).decode())
            self.canaries.plant("encryption key", sealed.decrypt(bytes(key.encryption_key)).decode())

    def _say(self, answer: Any) -> None:  # noqa: ANN401
        self.told.append(answer.content.decode())
        for client in self.browsers:
            if "sessionid" in client.cookies:
                self.canaries.plant("session cookie", client.cookies["sessionid"].value)

    def button(self) -> None:
        """Call the functions of the button, as a shop with pages of its own does."""
        order, wallet = self.order(), payments.wallet
        bound = {"session": canary.SESSION}
        opened = self.call(wallet.open_session, order, **bound)
        asked = bound | {"reference": opened.reference}
        self.call(wallet.price_sheet, order, **asked, shipping_address=canary.WALLET_ADDRESS)
        message = f"{canary.CARD_NUMBERS[2]} of {EMAIL}"
        self.call(
            wallet.record_event, order, **asked, event=payments.wallet.WalletEvent.ERROR, message=message
        )
        session = {"parameters": opened.parameters, "reference": opened.reference}
        detail = self._approved(session, "CRYPTOGRAM_3DS")
        payment = self.call(wallet.pay, order, **bound, detail=detail)
        self.told.append(repr((opened, payment, self.call(wallet.outcome, payment))))
        self.told.append(repr(self.call(wallet.receipt, payment.order)))
        PaymentOrder.objects.filter(pk=order.pk).update(
            wallet_closed_at=order.created_at, wallet_limit=wallet.WalletLimit.RESULTS
        )
        closed = PaymentOrder.objects.get(pk=order.pk)
        self.call(wallet.check_open, closed)
        self.call(wallet.raise_limits, closed, by="anna", reason=f"a friend: {canary.CARD_NUMBERS[2]}")
        again = self.order()
        first = self.call(wallet.open_session, again, **bound)
        spoilt = {"transactionAccountId": canary.CARD_NUMBERS[0], "email": canary.CARD_NUMBERS[1]}
        self.call(wallet.pay, again, **bound, detail=detail | spoilt)
        self.call(wallet.next_reference, again, **bound, after=first.reference)
        self.call(wallet.abandon, again.payments.order_by("-pk")[:1].get())
        self.told.append(repr((self.call(wallet.survey_keys), self.call(wallet.rotate_keys))))

    # People

    def people(self) -> None:
        """Call what people decide on: second persons, differences, unknown outcomes, unsent requests."""
        order = self.paid(amount=Decimal("2000.00"), items=[])
        asked = self.call(payments.refund, order, by="anna", comment=canary.CARD_NUMBERS[0])
        self.told.append(repr(self.call(payments.approvals.waiting)))
        bert = _account("bert")
        self.call(payments.approvals.decline, asked, by=bert, reason=f"no: {canary.CARD_NUMBERS[1]}")
        again = self.call(payments.refund, order, by="anna")
        self.call(payments.approvals.approve, again, by=bert, reason=canary.CARD_NUMBERS[2])
        for end in (payments.approvals.close_discrepancy, payments.approvals.book_discrepancy):
            made = self.paid()
            self.control.portal(made.payments.get().reference, "ecom.refund", "1.00")
            self.call(payments.reconcile, made, everything=True)
            found = Discrepancy.objects.filter(payment__order=made).last()
            self.call(end, found, by="anna", reason=f"see {canary.CARD_NUMBERS[0]}")
        held = [self.paid("preauthorization") for _ in range(2)]
        with self.failing(UNREACHABLE):
            unsent = [self.call(payments.capture, order) for order in held]
        self.call(payments.follow_ups.send_again, unsent[0], by="anna", comment=canary.CARD_NUMBERS[1])
        self.call(payments.follow_ups.give_up_unsent, unsent[1], by="anna")
        self.call(payments.follow_ups.mark_refusal_seen, unsent[1], by="anna")
        unknown = GatewayTransaction.objects.filter(state=TransactionState.UNKNOWN)[:1].get()
        given_up = {"decision": "DID_NOT_HAPPEN", "reason": canary.CARD_NUMBERS[0], "by": "anna"}
        self.call(payments.approvals.resolve, unknown, **given_up)
        payment = self.paid("preauthorization").payments.get()
        kind, amount = TransactionKind.CAPTURE, payments.Money(Decimal("1.00"), "EUR")
        shown = self.call(payments.follow_ups.preview, payment, kind, amount)
        self.told += [shown, self.call(payments.follow_ups.shown_body, shown)]

    def many(self) -> None:
        """Call what is done for many orders, and the records of an earlier provider."""
        maintenance, batches = payments.maintenance, payments.batches
        head = (
            "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId"
        )
        rows = [f"OLD-{n},2026-01-02T03:04:05,30.00,EUR,0.00,P-{n}" for n in range(1, DEPOSITS)]
        text = "\n".join([head, *rows, f"{canary.CARD_NUMBERS[0]},x,y,z,{EMAIL},"]) + "\n"
        self.told.append(repr(self.call(maintenance.import_migration_file, text.splitlines(True))))
        self.told.append(repr(self.call(maintenance.import_in_steps, text.splitlines(True), keep_good=True)))
        self.told += list(self.call(maintenance.export_migration_file))
        orders = [self.paid("preauthorization"), self.paid("preauthorization")]
        for ends in (batches.stop, batches.resume):
            batch = self.call(batches.draft, BatchKind.CAPTURE, orders, by="anna")
            why = {"reason_code": "shipped", "comment": canary.CARD_NUMBERS[0]}
            self.call(batches.start, batch, list(batch.rows.all()), **why)
            self.call(batches.pause, batch, by="anna")
            batch.refresh_from_db()
            self.call(ends, batch, **({"by": "anna"} if ends is batches.stop else {}))
        self.call(batches.step, batch, seconds=60.0)
        self.call(batches.draft, BatchKind.REFUND, orders, by="root")
        self.call(batches.start_status_queries, orders, by="anna")
        amounts = {MigratedDeposit.objects.filter(is_known=True)[0]: payments.Money(Decimal("1.00"), "EUR")}
        self.call(batches.start_detached_refunds, amounts, token="t" * 12, by="anna", comment="x")
        self.call(batches.drive, seconds=60.0)

    def upkeep(self) -> None:
        """Call what the sweep and operators call."""
        maintenance, order = payments.maintenance, self.paid()
        reason = {"by": "anna", "reason": f"fraud with {canary.CARD_NUMBERS[1]}"}
        self.call(maintenance.stop_sending, "default", **reason)
        self.told.append(repr(self.call(maintenance.sending_pauses)))
        self.call(maintenance.resume_sending, "default", **reason)
        self.call(maintenance.reconcile_due)
        self.call(maintenance.deliver_events)
        compared = self.call(maintenance.comparison, "default", days=2, repair_as="anna")
        self.told.append(repr(list(compared.rows)))
        self.told.append(repr(self.call(maintenance.health)))
        self.told.append(repr(self.call(maintenance.expiring_authorizations)))
        self.told.append(repr(self.call(maintenance.gateway_aliases)))
        self.told.append(repr(self.call(maintenance.wrong_accounts)))
        self.call(maintenance.forget_accounts)
        self.told.append(repr(self.call(maintenance.forget_tests, dry_run=True)))
        with pytest.raises(ImproperlyConfigured) as refused:
            self.call(maintenance.check_account, "default", {"MERCHANT_ID": canary.CARD_NUMBERS[0]})
        self.told.append(f"{refused.value!r}")
        self.told.append(repr(self.call(maintenance.orders_of, references=[order.reference])))
        self.told.append(repr(self.call(payments.order_summary, order)))
        self.told.append(repr(list(self.call(payments.orders.order_timeline, order))))
        found = self.call(payments.get_order, order.reference)
        self.call(payments.orders.get_order_by_token, found.token)
        self.call(payments.orders.attempt_for, order.payments.get().reference)
        self.call(payments.orders.reconcile_attempt, order.payments.get().reference)
        self.told.append(repr(self.call(payments.orders.receipt, order)))
        self.call(maintenance.support_bundle, order)
        # For the customer alone, so it is told to nobody here.
        self.call(payments.orders.customer_data, CARDHOLDER["cardholder_email"])
        self.call(payments.cancel, self.order(), by="anna", note=f"as agreed: {canary.CARD_NUMBERS[2]}")
        self.call(maintenance.erase_customer, order, by="anna", reason="she asked for it")
