"""The gateway under test as the probes see it: the document's requests, and payments to try things on."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from typing import Final, TypeVar, cast

from wallet_gateway.conformance import messages
from wallet_gateway.conformance.answers import Answer, has, member
from wallet_gateway.conformance.control import Control
from wallet_gateway.conformance.messages import Body, changed
from wallet_gateway.conformance.results import Failed, Skipped, accepted, refused
from wallet_gateway.conformance.target import Account, Deposit
from wallet_gateway.conformance.wire import Wire, split_url

SALE: Final = "ecom.sale"
PREAUTHORIZATION: Final = "ecom.preAuthorization"
CAPTURE: Final = "ecom.capture"
REFUND: Final = "ecom.refund"
REVERSAL: Final = "ecom.reversalPreauthorization"
DETACHED: Final = "detached.refund"

Made = TypeVar("Made")
_TIMES_THROTTLED: Final = 5
_LONGEST_THROTTLE: Final = 60


@dataclass(frozen=True, slots=True)
class Payment:
    """A payment that the kit had made: each is of the account's amount."""

    reference: str
    type: str


@dataclass(kw_only=True)
class Gateway:
    """Sends what a probe wants sent, and remembers what several probes need."""

    wire: Wire
    account: Account
    control: Control | None = None
    limit: Decimal
    """The most that the payments of one run may come to."""
    seconds_to_pay: float = 0
    """How long a person has for each payment where there is no sandbox; with 0 nobody is asked."""
    seconds_to_appear: float = 30
    """How long a record may take to appear where there is no sandbox."""
    seconds_between_looks: float = 1.0
    """How long to wait before a status is asked for again."""
    say: Callable[[str], None] = lambda _: None
    spent: Decimal = Decimal(0)
    payments: list[Payment] = field(default_factory=list)
    _made: dict[str, object] = field(default_factory=dict)
    _run: str = field(default_factory=lambda: secrets.token_hex(5))
    _numbers: count[int] = field(default_factory=lambda: count(1))

    # Requests

    def reference(self) -> str:
        """Return a reference that was never used."""
        return f"KIT-{self._run}-{next(self._numbers):04}"

    def send(
        self,
        operation: str,
        *,
        body: object = None,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        account_id: str = "",
        with_account: bool = True,
    ) -> Answer:
        """Send a request of an operation; waits and tries again while the gateway answers 429.

        ``with_account`` adds the headers of the account file.
        """
        method = "GET" if body is None else "POST"
        path = self.account.path(operation).replace("{transactionAccountId}", account_id)
        content = None if body is None else messages.to_json(body)
        given = {"Accept": "application/json"} | (
            {} if body is None else {"Content-Type": "application/json"}
        )
        given |= {**(self.account.headers if with_account else {}), **(headers or {})}
        for _ in range(_TIMES_THROTTLED):
            answer = self.wire.send(method, path, query=query, body=content, headers=given)
            if answer.status != 429:
                return answer
            seconds = int(answer.retry_after) if answer.retry_after.isdecimal() else 1
            time.sleep(min(seconds, _LONGEST_THROTTLE))
        raise Skipped("the gateway throttles the kit (HTTP 429)")

    def checkout(self, body: Body) -> Answer:
        """Send a checkout request."""
        return self.send("checkout", body=body)

    def follow_up(self, body: Body) -> Answer:
        """Send a capture, refund or reversal."""
        return self.send("follow_up", body=body)

    def detached_refund(self, body: Body) -> Answer:
        """Send a detached refund."""
        return self.send("detached_refund", body=body)

    def status(self, reference: str, **changes: str | None) -> Answer:
        """Send a status query; a parameter that is None is left out."""
        query = {**self.account.store, "clientSystemTransactionId": reference, **changes}
        return self.send("status", query={name: value for name, value in query.items() if value is not None})

    # Checkouts that nobody pays

    @property
    def needs_billing_address(self) -> bool:
        """Whether a checkout is accepted only with a billing address."""

        def ask() -> bool:
            plain = messages.checkout(self.account, self.reference())
            return not self.checkout(plain).is_success and self.checkout(_with_address(plain)).is_success

        return self.once("billing address", ask)

    def plain_checkout(self, type_: str = SALE) -> Body:
        """Return the least that a checkout request needs at this gateway."""
        body = messages.checkout(self.account, self.reference()) | {"type": type_}
        return _with_address(body) if self.needs_billing_address else body

    def full_checkout(self) -> Body:
        """Return a checkout request with every field."""
        if self.account.decimals != 2:
            raise Skipped("the document's cart is of a currency with two decimals")
        return messages.full_checkout(self.account, self.reference())

    def cart_checkout(self) -> Body:
        """Return a checkout request whose cart has every field; it comes to 1.00."""
        cart = self.full_checkout()["shoppingCartDetails"]
        return self.plain_checkout() | {"amount": "1.00", "shoppingCartDetails": cart}

    def checkout_is_accepted(self, body: Body) -> Answer:
        """Fail unless a checkout request is accepted."""
        return accepted(self.checkout(body))

    def checkout_is_refused(self, body: Body) -> Answer:
        """Fail unless a checkout request is refused, which says nothing if every one is."""
        right = self.cart_checkout if "shoppingCartDetails" in body else self.plain_checkout
        answer = self.once(f"right {right.__name__}", lambda: self.checkout(right()))
        if not answer.is_success:
            raise Skipped(f"a refusal would say nothing, as the right request is refused too: {answer}")
        return refused(self.checkout(body))

    # Payments

    def spend(self, amount: str, what: str) -> None:
        """Say that money is about to be moved; raises Skipped if that would exceed the limit."""
        currency = self.account.currency
        if self.spent + Decimal(amount) > self.limit:
            raise Skipped(f"would move more than the limit of {self.limit} {currency}; see --limit")
        self.spent += Decimal(amount)
        self.say(f"Moves money: {what}, {amount} {currency}")

    def paid_sale(self) -> Payment:
        """Return a sale that is paid, the same for all probes."""
        return self.once("sale", lambda: self.pay(SALE))

    def authorization(self) -> Payment:
        """Return a pre-authorization that may be captured, the same for all probes."""
        return self.once("authorization", lambda: self.pay(PREAUTHORIZATION))

    def pay(self, type_: str) -> Payment:
        """Have a checkout paid; raises Skipped if it is not."""
        body = self.plain_checkout(type_)
        self.spend(self.account.amount, f"a payment ({type_})")
        answer = self.checkout(body)
        if not answer.is_success:
            raise Skipped(f"no payment could be begun: {answer}")
        payment = Payment(body["clientSystemTransactionId"], type_)
        if self.control:
            self.control.complete_checkout(payment.reference)
        else:
            self._ask_person(payment, member(answer.value, "redirectUrl"))
        self.payments.append(payment)
        return payment

    def _ask_person(self, payment: Payment, page: object) -> None:
        """Show a person the page, and wait until the gateway reports the payment."""
        if not self.seconds_to_pay:
            raise Skipped("needs a payer, and --wait is 0")
        if not isinstance(page, str) or split_url(page) is None or not page.isprintable():
            raise Skipped("there is no page to pay on")
        self.say(
            f"Please pay {self.account.amount} {self.account.currency} ({payment.type}) within"
            f" {self.seconds_to_pay:g} seconds at {page}"
        )
        deadline = time.monotonic() + self.seconds_to_pay
        while not self._is_paid(payment):
            if time.monotonic() > deadline:
                raise Skipped(f"nobody paid within {self.seconds_to_pay:g} seconds")
            time.sleep(self.seconds_between_looks)

    def _is_paid(self, payment: Payment) -> bool:
        states = (member(record, "state") for record in self.status(payment.reference).records)
        return any(str(state).casefold() == "approved" for state in states)

    def undecided(self) -> dict[str, str]:
        """Return what a sandbox's customer did not pay, by reference: ``refused`` or ``pending``."""
        return self.once("undecided", self._leave_undecided)

    def _leave_undecided(self) -> dict[str, str]:
        ends = {}
        for outcome in ("refused", "refused", "pending") if self.control else ():
            body = self.plain_checkout()
            self.checkout_is_accepted(body)
            self.controls().complete_checkout(body["clientSystemTransactionId"], outcome)
            ends[body["clientSystemTransactionId"]] = outcome
        return ends

    def record(self, payment: Payment) -> dict[str, object]:
        """Return the status record of a transaction, as soon as it is there; raises Skipped without one.

        A sandbox's is there at once.
        """
        return self.once(f"record {payment}", lambda: self._wait_for_record(payment))

    def _wait_for_record(self, payment: Payment) -> dict[str, object]:
        deadline = time.monotonic() + (0 if self.control else self.seconds_to_appear)
        while True:
            answer = self.status(payment.reference)
            records = [one for one in answer.records if has(one, "type") or has(one, "state")]
            fitting = [one for one in records if type_of(one) == payment.type.casefold()]
            if fitting or len(records) == 1:
                return [*fitting, *records][0]
            if time.monotonic() >= deadline:
                raise Skipped(f"no record of {payment.type} under {payment.reference}: {answer}")
            time.sleep(self.seconds_between_looks)

    # Follow-ups and detached refunds

    def follow_up_body(self, type_: str, original: Payment, amount: str = "") -> Body:
        """Return a follow-up request with a reference of its own; of the smallest amount if none is given."""
        named = {"clientSystemInvoiceId": original.reference}
        amount = amount or self.account.smallest
        return messages.transaction(self.account, type_, amount, reference=self.reference(), **named)

    def detached_body(self, amount: str = "") -> Body:
        """Return a detached refund of the deposit; of the smallest amount if none is given."""
        named = {"parentTransactionId": self.deposit().parent_transaction_id}
        amount = amount or self.account.smallest
        return messages.transaction(self.account, DETACHED, amount, reference=self.reference(), **named)

    def deposit(self) -> Deposit:
        """Return a migrated deposit; raises Skipped without one."""
        return self.account.deposit or self.once("deposit", self._migrated)

    def _migrated(self) -> Deposit:
        if self.control is None:
            raise Skipped("needs a migrated deposit; name one in the account file, as deposit")
        amount, refunded = (f"{whole:.{self.account.decimals}f}" for whole in (50, 20))
        deposit = Deposit(parent_transaction_id=f"OLD-{self._run}", amount=amount, refunded=refunded)
        self.control.migrate(deposit)
        return deposit

    def done(self, type_: str) -> tuple[Body, Answer]:
        """Return a transaction of the smallest amount that was accepted; the same for all probes."""
        return self.once(type_, lambda: self._do(type_))

    def _do(self, type_: str) -> tuple[Body, Answer]:
        if type_ == DETACHED:
            body = self.detached_body()
            self.spend(body["amount"], "a detached refund")
            return body, accepted(self.detached_refund(body))
        if type_ == REVERSAL:
            body = self.follow_up_body(type_, self.pay(PREAUTHORIZATION), self.account.amount)
        else:
            original = self.paid_sale() if type_ == REFUND else self.authorization()
            body = self.follow_up_body(type_, original)
        return body, accepted(self.follow_up(body))

    def answered(self, type_: str) -> tuple[Body, Answer]:
        """Return what ``done`` does; raises Skipped where that fails, which is a probe of its own."""
        try:
            return self.done(type_)
        except Failed as error:
            raise Skipped(f"says nothing, as the right request fails: {error}") from error

    def records_of(self, follow_up: Body) -> tuple[Answer, Answer]:
        """Return what is answered under a follow-up's own reference, and under its original's."""
        own, original = (follow_up[name] for name in ("clientSystemTransactionId", "clientSystemInvoiceId"))
        return self.status(own), self.status(original)

    def follow_up_is_refused(self, body: Body) -> Answer:
        """Fail unless a refund is refused, which says nothing if every one is."""
        self.answered(REFUND)
        return refused(self.follow_up(body))

    def detached_is_refused(self, body: Body) -> Answer:
        """Fail unless a detached refund is refused, which says nothing if every one is."""
        self.answered(DETACHED)
        return refused(self.detached_refund(body))

    # What is made once

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """Return what ``make`` gives, or raise what it raises, without making it a second time."""
        if name not in self._made:
            try:
                self._made[name] = make()
            except (Failed, Skipped) as error:
                self._made[name] = error
        found = self._made[name]
        if isinstance(found, Failed | Skipped):
            raise found
        return cast(Made, found)

    def controls(self) -> Control:
        """Return the sandbox's control interface; raises Skipped without one."""
        if self.control is None:
            raise Skipped("needs the control interface of a sandbox")
        return self.control


def type_of(record: object) -> str:
    """Return the type of a record, in small letters."""
    return str(member(record, "type")).casefold()


def _with_address(body: Body) -> Body:
    return changed(body, "addressDetails.billingAddress", messages.BILLING_ADDRESS)
