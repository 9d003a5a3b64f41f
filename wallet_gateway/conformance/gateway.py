"""The gateway under test as the probes see it: the document's requests, and payments to try things on."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, TypeVar, cast

from wallet_gateway.conformance import messages
from wallet_gateway.conformance.answers import MISSING, Answer, has, member
from wallet_gateway.conformance.control import Control
from wallet_gateway.conformance.expectations import accepted, refused
from wallet_gateway.conformance.messages import Body, changed
from wallet_gateway.conformance.payer import Limit, Payer, Payment
from wallet_gateway.conformance.results import Failed, Skipped
from wallet_gateway.conformance.target import Account, Deposit
from wallet_gateway.conformance.wire import Wire

SALE: Final = "ecom.sale"
PREAUTHORIZATION: Final = "ecom.preAuthorization"
CAPTURE: Final = "ecom.capture"
REFUND: Final = "ecom.refund"
REVERSAL: Final = "ecom.reversalPreauthorization"

Made = TypeVar("Made")
_ACCEPT: Final = {"Accept": "application/json"}
_CONTENT: Final = {"Content-Type": "application/json"}
_TIMES_THROTTLED: Final = 5
_LONGEST_THROTTLE: Final = 60
_SECONDS_TO_APPEAR: Final = 30
_SECONDS_BETWEEN_LOOKS: Final = 1.0


@dataclass(kw_only=True)
class Gateway:
    """Sends what a probe wants sent, and remembers what several probes need."""

    wire: Wire
    host: str
    """The host of the base URL, with its port if any."""
    account: Account
    payer: Payer
    limit: Limit
    control: Control | None = None
    is_patient: bool = True
    """Whether a record may take a while to appear; a sandbox's is there at once."""
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
        given = {**_ACCEPT, **({} if body is None else _CONTENT)}
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
        query = {
            "merchantId": self.account.merchant_id,
            "storeId": self.account.store_id,
            "clientSystemTransactionId": reference,
        } | changes
        return self.send("status", query={name: value for name, value in query.items() if value is not None})

    # Checkouts that nobody pays

    @property
    def needs_billing_address(self) -> bool:
        """Whether a checkout is accepted only with a billing address."""
        return self.once("billing address", self._ask_for_billing_address)

    def _ask_for_billing_address(self) -> bool:
        plain = messages.checkout(self.account, self.reference())
        return not self.checkout(plain).is_success and self.checkout(_with_address(plain)).is_success

    def plain_checkout(self, type_: str = SALE) -> Body:
        """Return the least that a checkout request needs at this gateway."""
        body = messages.checkout(self.account, self.reference()) | {"type": type_}
        return _with_address(body) if self.needs_billing_address else body

    def full_checkout(self) -> Body:
        """Return a checkout request with every field."""
        if len(self.account.amount.partition(".")[2]) != 2:
            raise Skipped("the document's cart is of a currency with two decimals")
        return messages.full_checkout(self.account, self.reference())

    def cart_checkout(self) -> Body:
        """Return a checkout request whose cart has every field; it comes to 1.00."""
        cart = self.full_checkout()["shoppingCartDetails"]
        return self.plain_checkout() | {"amount": "1.00", "shoppingCartDetails": cart}

    def checkout_is_accepted(self, body: Body) -> Answer:
        """Fail unless a checkout request is accepted."""
        return accepted(self.checkout(body))

    def checkout_is_refused(self, body: Body, *, as_cart: bool = False) -> Answer:
        """Fail unless a checkout request is refused, which says nothing if every one is."""
        self.once("cart checkout" if as_cart else "plain checkout", lambda: self._check_baseline(as_cart))
        return refused(self.checkout(body))

    def _check_baseline(self, as_cart: bool) -> bool:  # noqa: FBT001  (which of two requests)
        body = self.cart_checkout() if as_cart else self.plain_checkout()
        answer = self.checkout(body)
        if not answer.is_success:
            raise Skipped(f"a refusal would say nothing, as the right request is refused too: {answer}")
        return True

    # Payments

    def paid_sale(self) -> Payment:
        """Return a sale that is paid, the same for all probes."""
        return self.once("sale", lambda: self.pay(SALE))

    def authorization(self) -> Payment:
        """Return a pre-authorization that may be captured, the same for all probes."""
        return self.once("authorization", lambda: self.pay(PREAUTHORIZATION))

    def pay(self, type_: str) -> Payment:
        """Have a checkout paid; raises Skipped if it is not."""
        body = self.plain_checkout(type_)
        self.limit.take(self.account.amount, f"a payment ({type_})")
        answer = self.checkout(body)
        if not answer.is_success:
            raise Skipped(f"no payment could be begun: {answer}")
        page = member(answer.value, "redirectUrl")
        payment = Payment(
            reference=body["clientSystemTransactionId"],
            type=type_,
            amount=self.account.amount,
            currency=self.account.currency,
            page=page if isinstance(page, str) else "",
        )
        self.payer.pay(payment, is_paid=lambda: self._is_paid(payment))
        self.payments.append(payment)
        return payment

    def _is_paid(self, payment: Payment) -> bool:
        states = (member(record, "state") for record in self.status(payment.reference).records)
        return any(isinstance(state, str) and state.casefold() == "approved" for state in states)

    def undecided(self) -> dict[str, str]:
        """Return what a sandbox's customer did not pay, by reference: ``refused`` or ``pending``."""
        return self.once("undecided", self._leave_undecided)

    def _leave_undecided(self) -> dict[str, str]:
        ends = {}
        for outcome in ("refused", "refused", "pending") if self.control else ():
            body = self.plain_checkout()
            accepted(self.checkout(body))
            self.controls().complete_checkout(body["clientSystemTransactionId"], outcome)
            ends[body["clientSystemTransactionId"]] = outcome
        return ends

    def record(self, reference: str, type_: str) -> dict[str, object]:
        """Return the status record of a transaction, as soon as it is there; raises Skipped without one."""
        return self.once(f"record {reference} {type_}", lambda: self._wait_for_record(reference, type_))

    def _wait_for_record(self, reference: str, type_: str) -> dict[str, object]:
        deadline = time.monotonic() + (_SECONDS_TO_APPEAR if self.is_patient else 0)
        while True:
            answer = self.status(reference)
            if record := _record_of(answer, type_):
                return record
            if time.monotonic() >= deadline:
                raise Skipped(f"no record of {type_} under {reference}: {answer}")
            time.sleep(_SECONDS_BETWEEN_LOOKS)

    # Follow-ups

    def follow_up_body(self, type_: str, original: Payment, amount: str = "") -> Body:
        """Return a follow-up request with a reference of its own; of the smallest amount if none is given."""
        return messages.follow_up(
            self.account,
            type_,
            amount or self.account.smallest,
            reference=self.reference(),
            original=original.reference,
        )

    def done(self, type_: str) -> tuple[Body, Answer]:
        """Return a follow-up of the smallest amount that was accepted; the same for all probes."""
        return self.once(type_, lambda: self._do(type_))

    def answered(self, type_: str) -> tuple[Body, Answer]:
        """Return what ``done`` does; raises Skipped where that fails, which is a probe of its own."""
        return _needed(lambda: self.done(type_))

    def _do(self, type_: str) -> tuple[Body, Answer]:
        if type_ == REVERSAL:
            original = self.pay(PREAUTHORIZATION)
            body = self.follow_up_body(type_, original, original.amount)
        else:
            original = self.paid_sale() if type_ == REFUND else self.authorization()
            body = self.follow_up_body(type_, original)
        return body, accepted(self.follow_up(body))

    def follow_up_is_refused(self, body: Body) -> Answer:
        """Fail unless a refund is refused, which says nothing if every one is."""
        self.answered(REFUND)
        return refused(self.follow_up(body))

    # Detached refunds

    def deposit(self) -> Deposit:
        """Return a migrated deposit; raises Skipped without one."""
        return self.once("deposit", self._deposit)

    def _deposit(self) -> Deposit:
        if self.account.deposit is not None:
            return self.account.deposit
        if self.control is None:
            raise Skipped("needs a migrated deposit; name one in the account file, as deposit")
        deposit = Deposit(
            parent_transaction_id=f"OLD-{self._run}",
            amount=f"{50:.{_decimals(self.account)}f}",
            refunded=f"{20:.{_decimals(self.account)}f}",
        )
        self.control.migrate(deposit)
        return deposit

    def detached_body(self, amount: str = "") -> Body:
        """Return a detached refund of the deposit; of the smallest amount if none is given."""
        return messages.detached_refund(
            self.account,
            amount or self.account.smallest,
            reference=self.reference(),
            parent=self.deposit().parent_transaction_id,
        )

    def detached_done(self) -> tuple[Body, Answer]:
        """Return a detached refund that was accepted; the same for all probes."""
        return self.once("detached", self._do_detached)

    def detached_answered(self) -> tuple[Body, Answer]:
        """Return what ``detached_done`` does; raises Skipped where that fails."""
        return _needed(self.detached_done)

    def _do_detached(self) -> tuple[Body, Answer]:
        body = self.detached_body()
        self.limit.take(body["amount"], "a detached refund")
        return body, accepted(self.detached_refund(body))

    def detached_is_refused(self, body: Body) -> Answer:
        """Fail unless a detached refund is refused, which says nothing if every one is."""
        self.detached_answered()
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


def _needed(make: Callable[[], Made]) -> Made:
    try:
        return make()
    except Failed as error:
        raise Skipped(f"says nothing, as the right request fails: {error}") from error


def _with_address(body: Body) -> Body:
    return changed(body, "addressDetails.billingAddress", messages.BILLING_ADDRESS)


def _decimals(account: Account) -> int:
    return len(account.amount.partition(".")[2])


def _record_of(answer: Answer, type_: str) -> dict[str, object] | None:
    records = [record for record in answer.records if has(record, "type") or has(record, "state")]
    fitting = (one for one in records if str(member(one, "type")).casefold() == type_.casefold())
    return next(fitting, records[0] if len(records) == 1 else None)


def text_of(value: Any, path: str) -> str:  # noqa: ANN401  (a JSON value)
    """Return a text member; raises Skipped where there is none, which another probe names."""
    found = member(value, path)
    if found is MISSING or not isinstance(found, str):
        raise Skipped(f"there is no text in {path}")
    return found
