"""The judge of histories: what must be true after each step, and at the end after calm and enough time.

Three ledgers are compared: the shop's rows, what the gateway has shown to the shop, and what was really
carried out. The rules are those of docs/reliability.md, said once more and without the plugin's own code.
Where a person decides, what they had been shown by then is theirs; what the gateway shows later is not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from django.db.models import Q

from proof.gateway_truth import DepositTruth, GatewayTruth
from proof.histories.speech import (
    APPROVED,
    CAPTURE,
    DETACHED_REFUND,
    ERRORED,
    PENDING,
    PREAUTHORIZATION,
    REFUND,
    REVERSAL,
    SALE,
    Shown,
)
from proof.histories.world import World
from wallet_gateway import gateways, payments
from wallet_gateway.domain.states import OrderState, TransactionKind, TransactionState
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    OutboxEvent,
    Payment,
    PaymentOrder,
    TransactionEvent,
)
from wallet_gateway.reports.work import NOT_FINAL_STATES, unattended
from wallet_gateway.testing.invariants import check_books, check_events, require

S, K = TransactionState, TransactionKind
BOOKS_EVERY: Final = 3
"""After how many looks the sums are looked through, too."""
_TYPES: Final = {
    K.CAPTURE: CAPTURE,
    K.REFUND: REFUND,
    K.REVERSAL: REVERSAL,
    K.DETACHED_REFUND: DETACHED_REFUND,
}
_MOVES: Final = (CAPTURE, REFUND, REVERSAL)
_ENDED_WITHOUT_MONEY: Final = (S.REJECTED, S.ABANDONED, S.EXPIRED)
_PAID: Final = (OrderState.PAID, OrderState.AUTHORIZED)


def _type(transaction: GatewayTransaction) -> str:
    opens = PREAUTHORIZATION if transaction.payment_type == "preauthorization" else SALE
    return _TYPES.get(TransactionKind(transaction.kind), opens)


class Judge:
    """Looks at one history's rows; the first thing that is wrong raises `BooksDisagree`."""

    def __init__(self, world: World) -> None:
        self._world, self._answers, self._gateway = world, world.answers, world.gateway
        self._looks = 0

    def look(self, *, is_end: bool = False) -> None:
        """Check what must be true after every step."""
        self._looks += 1
        if is_end or self._looks % BOOKS_EVERY == 0:
            check_books()
        require(not self._world.row_errors, "each row can be handled", self._world.row_errors)
        self._rows = list(GatewayTransaction.objects.select_related("payment").order_by("pk"))
        self._rows_of: defaultdict[int | None, list[GatewayTransaction]] = defaultdict(list)
        for row in self._rows:
            self._rows_of[row.payment_id].append(row)
        self._differences = list(Discrepancy.objects.order_by("pk"))
        twice = sorted(reference for reference, times in self._answers.sent.items() if times > 1)
        require(not twice, "what moves money leaves once", twice)
        several = [key for key, references in self._world.clicks.items() if len(references) > 1]
        require(not several, "one click is one intent", several)
        for row in self._rows:
            self._check_evidence(row)
            self._check_unknown_word(row)
        for order in PaymentOrder.objects.order_by("pk"):
            if order.is_payable:
                self._check_payable(order)
        for payment in Payment.objects.order_by("pk"):
            self._check_records(payment)
            self._check_freeze(payment)

    def look_at_end(self) -> None:
        """Check what must be true once everything was asked about, and nothing new happens."""
        self.look(is_end=True)
        check_events()
        self._check_executions()
        self._check_refusals()
        self._check_nothing_waits()
        for payment in Payment.objects.order_by("pk"):
            self._check_mixed(payment)
            self._check_sums(payment)
            self._check_changed(payment)
            self._check_outcome(payment)
        if self._gateway is self._world.sandbox:
            self._compare_with_status_queries()

    # Nothing is called paid without a record that says so

    def _check_evidence(self, row: GatewayTransaction) -> None:
        if row.approved_minor is None:
            return
        # An amount in the books is one that an approved record, or the answer to our own request, has.
        evidence = [
            shown
            for shown in self._seen_of(row)
            if (shown.state, shown.minor, shown.currency) == (APPROVED, row.approved_minor, row.currency)
        ]
        require(evidence, "what is booked as approved was shown as approved, with its amount", row)

    def _seen_of(self, row: GatewayTransaction) -> Iterator[Shown]:
        original = row.payment.reference if row.payment else ""
        references = [row.reference, original]
        if row.origin == "ELSEWHERE":
            # A second execution is shown with the operation that it repeats.
            references += [other.reference for other in self._rows_of[row.payment_id]]
        for reference in references:
            for shown in (*self._answers.ever[reference], *self._answers.beyond[reference]):
                is_ours = shown.reference in references or row.origin == "ELSEWHERE"
                if is_ours and shown.type == _type(row):
                    yield shown
        yield from self._answers.answered[row.reference]

    # Nobody can pay again while the gateway holds something

    def _check_payable(self, order: PaymentOrder) -> None:
        for payment in order.payments.order_by("pk"):
            reference, row = payment.reference, payment.opening
            if payment.reversal == "done":
                continue
            known = self._world.decided.get(reference, frozenset())
            shown = self._answers.latest.get(reference, ())
            # The same page is served until its end: that is no second attempt.
            is_served = (
                row.state == S.OPEN
                and row.expires_at is not None
                and row.expires_at > self._world.time.shop_now()
            )
            # Who has given it up has opened the order again: only an approval that shows later holds.
            is_given_up = row.state == S.ABANDONED and row.decided_by_person
            holds = [
                one
                for one in shown
                if (one.reference, one.type) == (reference, _type(row))
                and (one.state == APPROVED or not (one.state == ERRORED or is_given_up))
                and one not in known
                and not (reference in self._world.decided and self._was_read(one, row))
                and not (is_served and one.minor is None)
            ]
            require(
                not holds, "nobody can pay again while a record of it is approved, pending or unknown", holds
            )
            is_cut = reference in self._answers.cut and reference not in self._world.decided and not is_served
            require(not is_cut, "nobody can pay again while an answer was too long to read", row)

    def _was_read(self, shown: Shown, row: GatewayTransaction) -> bool:
        """Return whether a person has closed a difference that names a record, whenever it was shown."""
        closed = [one for one in self._differences if one.transaction_id == row.pk and one.closed_at]
        return not shown.is_placeholder and any(self._names(one, shown) for one in closed)

    # Every movement that our books do not explain is a person's task

    def _about(self, payment: Payment) -> dict[Shown, set[str]]:
        """Return what was ever shown in the answers about a payment, with the references asked about."""
        found: dict[Shown, set[str]] = {}
        for row in self._rows_of[payment.pk]:
            for shown in self._answers.ever[row.reference]:
                found.setdefault(shown, set()).add(row.reference)
        return found

    def _is_money(self, shown: Shown, payment: Payment) -> bool:
        """Return whether a record says that money of this payment moved.

        What the portal has done is looked at where the payment is paid: nothing can be given back before.
        """
        if shown.state != APPROVED:
            return False
        was_paid = payment.authorized > 0 or self._is_contradicted(payment)
        if shown.reference.startswith("PORTAL") and not was_paid:
            return False
        return shown.type in _MOVES or shown.reference == payment.reference

    def _explains(self, shown: Shown, payment: Payment) -> bool:
        """Return whether a transaction of ours was booked as this record, with its amount."""
        if shown.is_placeholder:
            return False
        booked = (shown.id, shown.type, shown.minor, 0)
        return any(
            (row.record_id, _type(row), row.approved_minor, row.excess_minor) == booked
            for row in self._rows_of[payment.pk]
        )

    def _is_accepted(self, shown: Shown, payment: Payment) -> bool:
        """Return whether a person has accepted an approval whose id says nothing."""
        accepted = [row for row in self._rows_of[payment.pk] if row.decided_by_person]
        return shown.is_placeholder and any(
            (row.reference, _type(row), row.approved_minor) == (shown.reference, shown.type, shown.minor)
            for row in accepted
        )

    def _may_be_outstanding(self, shown: Shown, payment: Payment) -> bool:
        """Return whether a record may be that of an operation without an outcome, which is asked about."""
        outstanding, opening = (S.SENDING, S.UNKNOWN, S.PENDING), payment.opening
        # What has ended since the payment was asked about was outstanding then, and it is asked about again.
        asked_at = opening.last_queried_at if opening.next_query_at is not None else None
        mine = [
            row
            for row in self._rows_of[payment.pk]
            if row.state in outstanding or (asked_at is not None and row.state_changed_at >= asked_at)
        ]
        return any((_type(row), row.amount_minor) == (shown.type, shown.minor) for row in mine)

    def _names(self, difference: Discrepancy, shown: Shown) -> bool:
        """Return whether a difference is about this record: its id is in what the person reads."""
        return shown.id in " ".join(str(value) for value in vars(difference).values())

    def _is_told(self, shown: Shown, payment: Payment) -> bool:
        mine = [one for one in self._differences if payment.pk == one.payment_id or one.payment_id is None]
        if shown.reference.startswith("PORTAL"):
            # The same record may be in the answers about several payments: it is told once.
            mine = self._differences
            if any(row.record_id == shown.id for row in self._rows):
                return True
        if shown.is_placeholder:
            # Such a record is looked at anew each time: what was closed before says nothing of it.
            return any(one.closed_at is None for one in mine) or self._is_contradicted(payment)
        return any(self._names(one, shown) for one in mine) or self._is_contradicted(payment)

    def _is_contradicted(self, payment: Payment) -> bool:
        return any(row.state == S.ANOMALY for row in self._rows_of[payment.pk])

    def _check_records(self, payment: Payment) -> None:
        for shown, references in self._about(payment).items():
            if not self._is_money(shown, payment) or self._explains(shown, payment):
                continue
            if self._is_accepted(shown, payment) or self._may_be_outstanding(shown, payment):
                continue
            if all(shown not in self._answers.latest.get(reference, ()) for reference in references):
                # It has changed since: see `_check_changed`.
                continue
            told = self._is_told(shown, payment)
            require(told, "approved money that no transaction explains has a difference that names it", shown)

    # Only contradicting money freezes

    def _check_freeze(self, payment: Payment) -> None:
        if not payment.is_frozen:
            return
        beyond = self._answers.beyond[payment.reference]
        about = [*self._about(payment), *beyond]
        odd = [one for one in about if self._is_money(one, payment) and not self._explains(one, payment)]
        rows = self._rows_of[payment.pk]
        answers = [one for row in rows for one in self._answers.answered[row.reference]]
        odd += [one for one in answers if one.state == APPROVED and not self._explains(one, payment)]
        changed = self._gateway.is_changed(payment.reference)
        require(odd or changed, "what moved nothing freezes nothing", f"{payment}: {self._said(payment)}")

    def _check_mixed(self, payment: Payment) -> None:
        """A record in the answers about two payments is the gateway's fault, and freezes neither."""
        odd = [one for one in self._about(payment) if self._is_money(one, payment)]
        odd = [one for one in odd if not self._explains(one, payment)]
        others = Payment.objects.filter(authorized__gt=0).exclude(pk=payment.pk)
        mixed = [one for one in odd if any(one in self._answers.ever[other.reference] for other in others)]
        if payment.is_frozen and odd and odd == mixed and not self._gateway.is_changed(payment.reference):
            told = [
                one for one in self._differences if one.payment_id == payment.pk and one.closed_at is None
            ]
            others_freeze = any(not self._names(one, shown) for one in told for shown in mixed)
            require(others_freeze, "a record in the answers about two payments freezes neither", mixed)

    def _said(self, payment: Payment) -> str:
        return "; ".join(str(one) for one in self._differences if one.payment_id == payment.pk)

    # A word that nobody knows is heard by somebody

    def _check_unknown_word(self, row: GatewayTransaction) -> None:
        shown = self._answers.latest.get(row.reference, ())
        unknown = [
            one for one in shown if not one.state and (one.reference, one.type) == (row.reference, _type(row))
        ]
        decided = self._world.decided.get(row.reference, frozenset())
        is_known = row.state == S.ABANDONED and decided.issuperset(unknown)
        if not unknown or is_known or row.state in (S.APPROVED, S.ANOMALY):
            return
        told = row.needs_operator or any(one.closed_at is None for one in self._differences)
        told = told or any(problem.subject != "sweep" for problem in payments.maintenance.health().problems)
        require(told, "a person is told of a word for a state that nobody knows", unknown)

    # The end: what was really carried out

    def _check_executions(self) -> None:
        """Each request was carried out once or a person was told, and each has a row."""
        executed, records = self._gateway.executed(), self._gateway.approved_records()
        for row in self._rows:
            if not row.attempt_no:
                continue
            times, told = sum(executed.get(row.reference, Counter()).values()), self._is_named(row)
            # Where operations are filed under the payment's reference, nothing tells a second execution from
            # the only one of an equal request that never arrived: the shop has asked for both.
            equal = [
                other
                for other in self._rows_of[row.payment_id]
                if (other.kind, other.approved_minor) == (row.kind, row.approved_minor)
                and other.reference not in executed
                and other.payment is not None
                and records.get(other.record_id or "") == other.payment.reference
            ]
            seen = times <= 1 + len(equal) or told
            require(seen, f"{times} executions under one reference are seen", row)
            # A record in a word that nobody knows may have gone before anybody understood it.
            if row.state in _ENDED_WITHOUT_MONEY and not self._gateway.is_changed(row.reference):
                require(not times or told, "released means not executed, or a person was told", row)
            if row.state == S.APPROVED:
                known = times or row.record_id in records
                require(known or told, "approved means executed", row)
        strangers = sorted(set(executed) - {row.reference for row in self._rows})
        require(not strangers, "a row was committed before each request left", strangers)
        self._check_orders_and_deposits(executed)

    def _check_refusals(self) -> None:
        """A lost answer is no refusal: it takes the gateway's word to call a follow-up refused."""
        called = set(
            TransactionEvent.objects.filter(state_after=S.REJECTED).values_list("transaction", flat=True)
        )
        for row in self._rows:
            if row.kind in _TYPES and row.pk in called:
                errored = any(shown.state == ERRORED for shown in self._seen_of(row))
                said = errored or row.reference in self._answers.refused
                require(said, "what is called refused was refused by the gateway", row)

    def _is_named(self, row: GatewayTransaction) -> bool:
        """Return whether a difference names a transaction or its payment, or a person is called otherwise."""
        about = [
            one
            for one in self._differences
            if one.transaction_id == row.pk
            or (one.payment_id is not None and one.payment_id == row.payment_id)
            or (one.deposit_id is not None and one.deposit_id == row.deposit_id)
        ]
        if about or row.state == S.ANOMALY or row.reference in self._world.careless:
            return True
        words = [one.state for one in self._answers.latest.get(row.reference, ())]
        return row.needs_operator and "" in words

    def _check_orders_and_deposits(self, executed: Mapping[str, Counter[str]]) -> None:
        for order in PaymentOrder.objects.filter(state__in=_PAID).order_by("pk"):
            opened = [
                reference
                for reference in order.payments.values_list("reference", flat=True)
                if executed.get(reference)
                or reference in self._world.careless
                # It was taken back later: see `_check_changed`.
                or self._gateway.is_changed(reference)
            ]
            require(opened, "an order is paid only with the gateway's evidence", order)
        for deposit in MigratedDeposit.objects.order_by("pk"):
            mine = [row for row in self._rows if row.deposit_id == deposit.pk and row.reference in executed]
            booked = sum((row.approved_minor or 0) - row.excess_minor for row in mine)
            require(deposit.refunded == booked, "what is refunded of a deposit was carried out", deposit)

    def _check_nothing_waits(self) -> None:
        alone = GatewayTransaction.objects.filter(unattended(self._world.time.shop_now()))
        require(not alone.exists(), "nothing waits without an instant or a person", alone)
        undelivered = OutboxEvent.objects.filter(delivered_at=None)
        require(not undelivered.exists(), "every event is delivered to the shop", undelivered)

    def _compare_with_status_queries(self) -> None:
        """Ask the sandbox once more, as a shop would, and compare each order and deposit to the cent."""
        gateway, records = gateways.gateway("default"), self._gateway.approved_records()
        for order in PaymentOrder.objects.order_by("pk"):
            rows = GatewayTransaction.objects.filter(payment__order=order)
            truth = GatewayTruth(order, gateway, may_double=True)
            truth.check_doubles_named()
            # A difference that is not booked is a person's: while it is open, and when it was closed so.
            if Discrepancy.objects.filter(payment__order=order, booked_as=None).exists():
                continue
            # A lost follow-up is looked for under the payment's reference, too: what was done in the portal,
            # of the same kind and amount, is then taken for it, and the sums are equal all the same.
            ours = rows.filter(origin="SHOP")
            if all(records.get(row.record_id or "", row.reference) == row.reference for row in ours):
                truth.check_allowed_for()
            # What is still open may explain a record, and its amount stays reserved until it has ended.
            if not rows.filter(state__in=NOT_FINAL_STATES).exists():
                truth.check_known()
        for deposit in MigratedDeposit.objects.order_by("pk"):
            DepositTruth(deposit, gateway).check_known()

    # The end: sums and states

    def _was_told(self, payment: Payment) -> bool:
        """Return whether a person knows, or has decided, that our books of a payment are not the truth."""
        if any(one.payment_id in (payment.pk, None) for one in self._differences):
            return True
        mine = self._rows_of[payment.pk]
        return any(row.needs_operator or row.decided_by_person or row.state == S.ANOMALY for row in mine)

    def _check_sums(self, payment: Payment) -> None:
        moved = self._gateway.moved(payment.reference)
        opened = moved[SALE] + moved[PREAUTHORIZATION]
        truth = (opened, moved[SALE] + moved[CAPTURE], moved[REFUND], moved[REVERSAL])
        reversed_minor = payment.authorized if payment.reversal == "done" else 0
        books = (payment.authorized, payment.captured, payment.refunded, reversed_minor)
        if truth != books:
            claim = f"our books are the truth, or a person was told: {books}, and in truth {truth}"
            require(self._was_told(payment), claim.partition(":")[0], f"{payment}, {claim}")

    def _check_changed(self, payment: Payment) -> None:
        """What is booked as approved is still shown so, or a difference says that it is not."""
        for row in self._rows_of[payment.pk]:
            if row.approved_minor is None or not row.record_id:
                continue
            own = [row.reference, payment.reference]
            asked = [reference for reference in own if reference in self._answers.latest]
            if any(reference in self._answers.cut for reference in asked) or not asked:
                continue
            # An answer about the payment alone, from before the operation, says nothing of it.
            if row.reference not in asked and row.origin != "ELSEWHERE":
                continue
            latest = [one for reference in asked for one in self._answers.latest[reference]]
            if not any(one.state == APPROVED and one.id == row.record_id for one in latest):
                about = Q(transaction=row) | Q(payment=payment)
                told = Discrepancy.objects.filter(about).exists()
                require(told, "an approval that is not shown any more is a difference", row)

    def _check_outcome(self, payment: Payment) -> None:
        """One approved record of the right amount pays; declined ones alone let the customer try again."""
        row, reference = payment.opening, payment.reference
        if reference in self._world.decided or reference in self._answers.cut or row.state == S.ABANDONED:
            return
        if self._gateway.is_changed(reference) or reference not in self._answers.latest:
            return
        ours = {
            one
            for one in self._answers.ever[reference]
            if (one.reference, one.type) == (reference, _type(row))
        }
        if not ours <= set(self._answers.latest[reference]) and any(one.state == APPROVED for one in ours):
            return
        approved = {one for one in ours if one.state == APPROVED}
        if len(approved) == 1:
            (one,) = approved
            if one.minor == row.amount_minor and not one.is_placeholder and row.kind == K.CHECKOUT:
                require(
                    row.state == S.APPROVED, "one approved record of the right amount pays the order", row
                )
        latest = set(self._answers.latest[reference])
        states = {one.state for one in latest if (one.reference, one.type) == (reference, _type(row))}
        if states == {ERRORED} and not approved:
            # Where the record came after the end of its page, that end is known.
            can_try = row.state in (S.REJECTED, S.EXPIRED)
            require(can_try, "a customer who was only declined can try again", row)
        if PENDING in states and not approved:
            is_held = row.state == S.PENDING or row.needs_operator
            require(is_held, "what is pending is waited for", row)
