"""Random histories of one order: its transactions take events, its books move, its questions are scheduled.

After each step the plugin's pure rules (`wallet_gateway.domain`) and the documented ones must say the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final

from proof.results import Tally
from proof.state_model.documented_rules import (
    ASKED_FOR_EVER,
    DAY,
    FINAL,
    RESERVES,
    Books,
    Fact,
    asked_after,
    moves_to,
    order_is_called,
    person_after,
)
from wallet_gateway.domain import polling_schedule as schedule
from wallet_gateway.domain.polling_schedule import PollState
from wallet_gateway.domain.states import (
    FINAL_STATES,
    HELD_STATES,
    OPENING_KINDS,
    IllegalTransition,
    LifecycleEvent,
    PaymentSnapshot,
    PaymentState,
    PaymentTotals,
    Reversal,
    TransactionKind,
    TransactionState,
    advance,
    order_state,
    payment_state,
    why_not_capture,
    why_not_refund,
    why_not_reverse,
)

E, K, S = LifecycleEvent, TransactionKind, TransactionState
EPOCH: Final = datetime(2026, 1, 15, 10, 30, tzinfo=UTC)
AMOUNT: Final = 2_000
_AMOUNTS: Final = (1, 500, 750, 1_999, 2_000)
_WAITS: Final = (1, 3, 20, 61, 310, 905, 3_700, 90_000, 700_000, 40 * DAY)
_TEN_YEARS: Final = 3_650 * DAY
_PAGE: Final = 900
_MOST_FAILURES: Final = 5
# Other events are drawn, too, but rarely.
_LIKELY: Final = {
    S.AWAITING_RESULT: (E.CLAIM, E.CLAIM, E.EXPIRED),
    S.SENDING: (E.APPROVED, E.APPROVED, E.REJECTED, E.LOST, E.NOTHING_LEFT, E.HELD),
    S.NOT_SENT: (E.CLAIM, E.CLAIM, E.ABANDONED),
    S.UNKNOWN: (E.APPROVED, E.REJECTED, E.HELD, E.ABANDONED),
    S.OPEN: (E.APPROVED, E.APPROVED, E.REJECTED, E.HELD, E.EXPIRED),
    S.PENDING: (E.APPROVED, E.REJECTED),
    S.AWAITING_3DS: (E.APPROVED, E.REJECTED),
    S.ANOMALY: (E.ABANDONED, E.ACCEPTED_BY_PERSON),
}
_OF_KIND: Final = {E.OPENED: K.CHECKOUT, E.PAGE_LOST: K.CHECKOUT, E.CHALLENGED: K.AUTHORIZATION}
_ANY: Final = tuple(LifecycleEvent)


def run(*, seed: int = 1, histories: int = 100_000, steps: int = 20) -> Tally:
    """Run random histories, until enough was found."""
    tally = Tally()
    try:
        check_timetables()
    except Disagreement as error:
        tally.failures.append(f"timetables: {error}")
    while tally.runs < histories and len(tally.failures) < _MOST_FAILURES:
        history = StateHistory(f"{seed}/{tally.runs}")
        try:
            history.run(steps)
        except Disagreement as error:
            tally.failures.append(f"{seed}/{tally.runs}: {error}")
            print("\n".join((f"FOUND {tally.failures[-1]}", *history.told)))
        tally.runs += 1
    return tally


class Disagreement(AssertionError):
    """The plugin's rules and the documented ones say something else, or one of them has a dead end."""


def agree(holds: object, claim: str) -> None:
    """Raise Disagreement unless a claim holds."""
    if not holds:
        raise Disagreement(claim)


def same(ours: object, documented: object, what: str) -> None:
    """Raise Disagreement unless the plugin's rules and the documented ones say the same."""
    agree(ours == documented, f"{what}: {ours}, documented {documented}")


@dataclass(slots=True, kw_only=True)
class Row(Fact):
    """A transaction as the plugin's rules see it, too; kind and state are equal to the documented texts."""

    kind: TransactionKind
    state: TransactionState
    since: datetime
    expires_at: datetime | None = None
    step: int = 0
    absent: int = 0
    decided: bool = False
    confirmed: bool = False

    @property
    def is_page(self) -> bool:
        """Return whether it has opened a hosted page."""
        return self.kind is K.CHECKOUT and self.expires_at is not None

    def position(self) -> PollState:
        """Return where it stands in its schedule."""
        return PollState(
            kind=self.kind,
            state=self.state,
            since=self.since,
            expires_at=self.expires_at,
            step=self.step,
            decided_by_person=self.decided,
            confirmed=self.confirmed,
            repeat_waits=schedule.repeat_waits(
                self.kind, daily_for=timedelta(days=7), limit=timedelta(days=180)
            ),
        )


class Attempt(Books[Row]):
    """One payment with its transactions."""

    def totals(self) -> PaymentTotals:
        """Return its counters, moved as the documentation says."""
        reversal = Reversal.RESERVED if self.reserved("REVERSAL") else Reversal.NONE
        return PaymentTotals(
            amount=AMOUNT,
            authorized=self.authorized,
            captured=self.captured,
            refunded=self.refunded,
            capture_reserved=self.reserved("CAPTURE"),
            refund_reserved=self.reserved("REFUND"),
            reversal=Reversal.DONE if self.booked("REVERSAL") else reversal,
            is_frozen=any(row.state is S.ANOMALY for row in self.facts),
        )


class StateHistory:
    """One random history; `run` raises Disagreement, and `told` has its steps in words."""

    def __init__(self, seed: str) -> None:
        self.chance, self.now = Random(seed), EPOCH
        self.attempts: list[Attempt] = []
        self.is_cancelled = False
        self.told: list[str] = []

    def run(self, steps: int) -> None:
        """Take so many steps."""
        self._begin()
        for _ in range(steps):
            draw = self.chance.random()
            if draw < 0.55:
                self._event()
            elif draw < 0.75:
                self._follow_up()
            elif draw < 0.9:
                self._ask_later()
            elif draw < 0.97 and len(self.attempts) < 3:
                self._begin()
            else:
                self.is_cancelled = True
            self._compare()
        self._outlast_silence()

    def _begin(self) -> None:
        kind = self.chance.choice((K.CHECKOUT, K.AUTHORIZATION))
        state = S.AWAITING_RESULT if kind is K.AUTHORIZATION and self.chance.random() < 0.5 else S.SENDING
        opening = Row(kind=kind, state=state, amount=AMOUNT, since=self.now)
        attempt = Attempt(self.chance.choice(("sale", "preauthorization")), [opening])
        self.attempts.append(attempt)
        self.told.append(f"begin {kind} of a {attempt.type}")

    def _follow_up(self) -> None:
        """Reserve an amount where both sets of rules allow it."""
        attempt = self.chance.choice(self.attempts)
        kind = self.chance.choice((K.CAPTURE, K.REFUND, K.REVERSAL))
        totals = attempt.totals()
        amount = attempt.authorized if kind is K.REVERSAL else self.chance.choice(_AMOUNTS)
        self.told.append(f"{kind} of {amount}")
        if kind is K.REVERSAL:
            refused = why_not_reverse(totals)
        else:
            refused = (why_not_capture if kind is K.CAPTURE else why_not_refund)(totals, amount)
        allowed = attempt.allows(kind.value, amount)
        same(refused is None, allowed, f"{kind} of {amount} is allowed ({refused})")
        outstanding = any(
            row.state not in FINAL_STATES for row in attempt.facts if row.kind not in OPENING_KINDS
        )
        if allowed and not outstanding:
            attempt.facts.append(Row(kind=kind, state=S.SENDING, amount=amount, since=self.now))

    def _event(self) -> None:
        attempt = self.chance.choice(self.attempts)
        row = attempt.facts[-1] if self.chance.random() < 0.6 else self.chance.choice(attempt.facts)
        event = self.chance.choice(_LIKELY.get(row.state, _ANY) if self.chance.random() < 0.85 else _ANY)
        if event is E.APPROVED and row.state is S.SENDING and row.kind is K.CHECKOUT:
            # A page is opened before anybody can pay on it.
            event = E.OPENED
        if event in _OF_KIND and row.kind is not _OF_KIND[event]:
            return
        if event is E.ABANDONED and row.state is S.ANOMALY and row.booked:
            # What stands in the books a person may accept only.
            return
        self._take(attempt, row, event)

    def _take(self, attempt: Attempt, row: Row, event: LifecycleEvent) -> None:
        before = row.state
        documented = moves_to(before.value, event.value, is_page=row.is_page)
        try:
            after = advance(before, event, is_page=row.is_page)
        except IllegalTransition:
            after = before
        self.told.append(f"{row.kind} {before} takes {event}: {after}")
        same(after.value, documented, f"{row.kind} {before} takes {event}")
        if after is before:
            return
        row.state, row.since, row.step, row.absent = after, self.now, 0, 0
        row.decided = row.decided or event in {E.ABANDONED, E.ACCEPTED_BY_PERSON}
        if after is S.OPEN:
            row.expires_at = self.now + timedelta(seconds=_PAGE)
        if after is S.APPROVED and not row.booked:
            row.booked = self._room(attempt, row)
        row.is_freed = row.is_freed or after.value in FINAL

    def _room(self, attempt: Attempt, row: Row) -> int:
        """Return what an approval adds to its counter: "the counter stays at its limit"."""
        # Approved already, it reserves nothing itself any more.
        left = {
            "CAPTURE": attempt.authorized - attempt.captured,
            "REFUND": attempt.captured - attempt.refunded,
        }.get(row.kind.value, row.amount)
        others = attempt.reserved(row.kind.value)
        if row.kind is K.REVERSAL and (attempt.captured or attempt.reserved("CAPTURE")):
            return 0
        if row.kind is K.CAPTURE and (attempt.booked("REVERSAL") or attempt.reserved("REVERSAL")):
            return 0
        return max(0, min(row.amount, left - others))

    # Time and questions

    def _ask_later(self) -> None:
        """Let time pass, and let one question be answered with nothing that ends it."""
        self.now += timedelta(seconds=self.chance.choice(_WAITS))
        row = self.chance.choice(self.chance.choice(self.attempts).facts)
        position = row.position()
        due = schedule.next_query_at(position, jitter=self.chance.uniform(-1, 1))
        if due is None:
            agree(row.state.value not in ASKED_FOR_EVER, f"{row.state} is asked about for ever")
            return
        self.now = max(self.now, due)
        self.told.append(f"{row.kind} {row.state} is asked about")
        if self.chance.random() < 0.2:
            wait = schedule.next_retry_at(since=row.since, now=self.now) - self.now
            agree(timedelta() < wait <= timedelta(hours=1), "without an answer it is asked within an hour")
            return
        step = schedule.step_after(position, self.now)
        agree(step >= row.step, "a schedule goes forward only")
        row.step, row.absent = step, row.absent + 1
        row.confirmed = row.confirmed or row.state is S.APPROVED
        after = schedule.next_query_at(row.position())
        goes_on = row.state.value in FINAL if after is None else after > self.now
        agree(goes_on, f"{row.state} has an instant after its question")
        self._agree_on_person(row)

    def _agree_on_person(self, row: Row) -> None:
        if row.state.value in ASKED_FOR_EVER:
            after = person_after(row.kind.value, row.state.value)
            wanted = (self.now - row.since).total_seconds() >= after and row.absent >= 5
            told = schedule.needs_operator(
                since=row.since,
                absent_answers=row.absent,
                now=self.now,
                after=schedule.decidable_after(row.kind, row.state),
            )
            same(told, wanted, f"a person may decide on {row.kind} {row.state}")

    def _outlast_silence(self) -> None:
        """Answer nothing for ten years: each transaction has an instant, a person, or an end."""
        later = self.now + timedelta(seconds=_TEN_YEARS)
        for row in (row for attempt in self.attempts for row in attempt.facts):
            state = row.state.value
            if state in ASKED_FOR_EVER:
                row.step = schedule.step_after(row.position(), later)
                due = schedule.next_query_at(row.position())
                is_weekly = due is not None and later < due <= later + timedelta(days=14)
                agree(is_weekly, f"{state} is asked about every week, after ten years as well")
            elif state in RESERVES:
                # Sent or missed within minutes, or with a person: `next_send_at`, a lease, a freeze.
                agree(state in {"SENDING", "NOT_SENT", "ANOMALY"}, f"{state} goes on")
            elif state in FINAL:
                instants = schedule.instants(row.position())
                agree(list(instants) == sorted(instants), f"the instants of {state} are in order")

    # What both say

    def _compare(self) -> None:
        payments: list[PaymentSnapshot] = []
        for attempt in self.attempts:
            totals = attempt.totals()
            taken, given_back = totals.captured, totals.refunded
            agree(taken + totals.capture_reserved <= totals.authorized, "captured within authorized")
            agree(given_back + totals.refund_reserved <= taken, "refunded within captured")
            for row in attempt.facts:
                same(row.state in HELD_STATES, row.state.value in RESERVES, f"{row.state} reserves")
                same(row.state in FINAL_STATES, row.state.value in FINAL, f"{row.state} is final")
            state = payment_state(totals, attempt.facts[0].state, attempt.facts[0].kind)
            same(state.value, attempt.state(), "the payment's state")
            payments.append(PaymentSnapshot(state=PaymentState(state), totals=totals))
        called = order_state(AMOUNT, payments, is_cancelled=self.is_cancelled)
        documented = order_is_called(AMOUNT, self.attempts, is_cancelled=self.is_cancelled)
        same(called.value, documented, "the order's state")


def check_timetables() -> None:
    """Compare the first month of the two schedules that the documentation spells out."""
    for state in (S.UNKNOWN, S.PENDING):
        row = Row(kind=K.REFUND, state=state, amount=1, since=EPOCH)
        seconds = [(instant - EPOCH).total_seconds() for instant in schedule.instants(row.position())]
        documented = asked_after(state.value)
        same(tuple(seconds[: len(documented)]), documented, f"when {state} is asked for")
