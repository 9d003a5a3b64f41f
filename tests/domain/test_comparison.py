"""What differs, by type: every state against everything that a gateway can say."""

from __future__ import annotations

from tests.explanations import explained
from tests.tables import every
from wallet_gateway.domain.comparison import DifferenceKind, as_status_update, differences
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import UNSENT_STATES, LifecycleEvent, TransactionState, advance
from wallet_gateway.domain.outcomes import Finding, FoundDiscrepancy, Verdict
from wallet_gateway.protocol.status import UnreadableRecord

S, V, D = TransactionState, Verdict, DifferenceKind
COMPARED = sorted(set(S) - UNSENT_STATES - {S.SENDING})
APPROVED = Finding(verdict=V.APPROVED, record_id="g1", amount=1000)
REJECTED = Finding(verdict=V.REJECTED, record_id="g1")
PENDING = Finding(verdict=V.PENDING, record_id="g1")
ABSENT = Finding(verdict=V.INCONCLUSIVE, absent=True, explanation=explain(ExplanationCode.NO_RECORD))
UNHEARD_OF = Finding(
    verdict=V.INCONCLUSIVE, explanation=explain(ExplanationCode.STATE_UNDOCUMENTED, given="'Foo'")
)


def kinds(state: TransactionState, finding: Finding) -> list[DifferenceKind]:
    return [difference.kind for difference in differences(state, finding)]


@every(
    ("state", "finding"),
    [
        (S.APPROVED, APPROVED),
        (S.REJECTED, REJECTED),
        (S.ABANDONED, REJECTED),
        (S.EXPIRED, REJECTED),
        (S.PENDING, PENDING),
        (S.AWAITING_3DS, PENDING),
        (S.UNKNOWN, ABSENT),
        (S.OPEN, ABSENT),
        (S.EXPIRED, ABSENT),
        (S.REJECTED, ABSENT),
        (S.APPROVED, UNHEARD_OF),
    ],
)
def test_what_agrees_is_no_difference(state: TransactionState, finding: Finding) -> None:
    assert kinds(state, finding) == []


@every("state", [s for s in COMPARED if s is not S.APPROVED])
def test_what_is_approved_there_alone_differs_in_state(state: TransactionState) -> None:
    assert kinds(state, APPROVED) == [D.STATE]


def test_what_the_gateway_has_no_record_of_is_missing_there() -> None:
    assert kinds(S.APPROVED, ABSENT) == [D.MISSING_THERE]


@every("finding", [REJECTED, PENDING])
def test_an_approval_that_the_gateway_does_not_confirm_differs_in_state(finding: Finding) -> None:
    assert kinds(S.APPROVED, finding) == [D.STATE]


@every("state", COMPARED)
def test_a_word_for_a_state_that_nobody_knows_is_a_difference_in_every_state(state: TransactionState) -> None:
    (difference,) = differences(state, Finding(verdict=V.PENDING, undocumented_state="Settled"))
    assert difference.kind is D.STATE
    assert "Settled" in explained(difference.explanation)


@every(
    ("discrepancy", "kind"),
    [
        (DiscrepancyKind.AMOUNT_DIFFERS, D.AMOUNT),
        (DiscrepancyKind.UNIT_MIX_UP, D.AMOUNT),
        (DiscrepancyKind.CURRENCY_DIFFERS, D.CURRENCY),
        (DiscrepancyKind.EXECUTED_TWICE, D.DUPLICATE),
        (DiscrepancyKind.RECORD_UNUSABLE, D.STATE),
    ],
)
def test_a_contradiction_is_named_by_its_type(discrepancy: DiscrepancyKind, kind: DifferenceKind) -> None:
    why = explain(ExplanationCode.AMOUNT_DIFFERS)
    finding = Finding(
        verdict=V.CONTRADICTION, discrepancies=(FoundDiscrepancy(kind=discrepancy, explanation=why),)
    )
    (difference,) = differences(S.APPROVED, finding)
    assert (difference.kind, difference.explanation) == (kind, why)


@every("state", COMPARED)
@every("finding", [APPROVED, REJECTED, PENDING, ABSENT, UNHEARD_OF])
def test_whatever_is_said_is_an_event_that_every_state_takes(
    state: TransactionState, finding: Finding
) -> None:
    event, _ = as_status_update(state, finding)
    if event is not None:
        advance(state, event)


@every(
    ("finding", "discrepancy"),
    [
        (ABSENT, DiscrepancyKind.MISSING_THERE),
        (REJECTED, DiscrepancyKind.STATE_DIFFERS),
        (PENDING, DiscrepancyKind.STATE_DIFFERS),
    ],
    ids=["absent", "rejected", "pending"],
)
def test_an_approval_is_never_taken_back_but_becomes_a_task(
    finding: Finding, discrepancy: DiscrepancyKind
) -> None:
    event, said = as_status_update(S.APPROVED, finding)
    assert (event, said.shown_discrepancy) == (None, discrepancy)
    assert said.explanation


@every("state", COMPARED)
def test_a_record_that_cannot_be_read_is_a_difference_and_takes_nothing_back(state: TransactionState) -> None:
    record = UnreadableRecord(
        id=None, type=None, client_system_transaction_id=None, complaint="id: is missing", fingerprint="f"
    )
    finding = Finding(verdict=V.INCONCLUSIVE, unreadable=(record,), own_unreadable=True)
    (difference,) = differences(state, finding)
    assert difference.kind is D.UNREADABLE
    assert "id: is missing" in explained(difference.explanation)
    assert as_status_update(state, finding) == (None, finding)


def test_what_agrees_is_news_of_no_discrepancy() -> None:
    assert as_status_update(S.APPROVED, APPROVED) == (LifecycleEvent.APPROVED, APPROVED)
    assert as_status_update(S.OPEN, ABSENT) == (None, ABSENT)
