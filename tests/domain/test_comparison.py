"""What differs, by type: every state against everything that a gateway can say."""

from __future__ import annotations

from tests.domain.gateway_words import unreadable
from tests.support.explanations import explained
from tests.support.tables import every
from wallet_gateway.domain import discrepancies, evidence, states
from wallet_gateway.domain.gateway_records import as_status_update, differences

S, V = states.TransactionState, evidence.Verdict
C, K, Finding = discrepancies.ExplanationCode, discrepancies.DiscrepancyKind, evidence.Finding
explain = discrepancies.explain
COMPARED = sorted(set(S) - states.UNSENT_STATES - {S.SENDING})
APPROVED = Finding(verdict=V.APPROVED, record_id="g1", amount=1000)
REJECTED = Finding(verdict=V.REJECTED, record_id="g1")
PENDING = Finding(verdict=V.PENDING, record_id="g1")
ABSENT = Finding(verdict=V.INCONCLUSIVE, absent=True, explanation=explain(C.NO_RECORD))
UNHEARD_OF = Finding(verdict=V.INCONCLUSIVE, explanation=explain(C.STATE_UNDOCUMENTED, given="'Foo'"))


AGREES = [
    (APPROVED, {S.APPROVED}),
    (REJECTED, {S.REJECTED, S.ABANDONED, S.EXPIRED}),
    (PENDING, {S.PENDING, S.AWAITING_3DS}),
    (ABSENT, set(COMPARED) - {S.APPROVED}),
    (UNHEARD_OF, set(COMPARED)),
]


@every("state", COMPARED)
@every(("finding", "agrees"), AGREES)
def test_what_does_not_agree_differs_and_an_approval_that_has_no_record_is_missing_there(
    state: states.TransactionState, finding: evidence.Finding, agrees: set[states.TransactionState]
) -> None:
    found = [difference.kind for difference in differences(state, finding)]
    kind = K.MISSING_THERE if finding is ABSENT else K.STATE_DIFFERS
    assert found == ([] if state in agrees else [kind])


@every("state", COMPARED)
def test_a_word_for_a_state_that_nobody_knows_is_a_difference_in_every_state(
    state: states.TransactionState,
) -> None:
    (difference,) = differences(state, Finding(verdict=V.PENDING, undocumented_state="Settled"))
    assert difference.kind is K.UNKNOWN_STATE
    assert "Settled" in explained(difference.explanation)


@every("kind", [K.AMOUNT_DIFFERS, K.CURRENCY_DIFFERS, K.EXECUTED_TWICE])
def test_a_contradiction_is_a_difference_as_it_was_found(kind: discrepancies.DiscrepancyKind) -> None:
    found = (evidence.FoundDiscrepancy(kind=kind, explanation=explain(C.AMOUNT_DIFFERS)),)
    finding = Finding(verdict=V.CONTRADICTION, discrepancies=found)
    assert differences(S.APPROVED, finding) == found
    assert differences(S.APPROVED, finding, is_settled=True) == ()


@every("state", COMPARED)
@every("finding", [finding for finding, _ in AGREES])
def test_what_is_said_is_an_event_that_every_state_takes_and_never_takes_an_approval_back(
    state: states.TransactionState, finding: evidence.Finding
) -> None:
    event, said = as_status_update(state, finding)
    if event is not None:
        states.advance(state, event)
    if state is not S.APPROVED or finding in (APPROVED, UNHEARD_OF):
        assert (event, said) == (evidence.EVENTS.get(finding.verdict), finding)
    else:
        task = K.MISSING_THERE if finding is ABSENT else K.STATE_DIFFERS
        assert (event, said.shown_discrepancy) == (None, task)
        assert said.explanation


@every("state", COMPARED)
def test_a_record_that_cannot_be_read_is_a_difference_and_takes_nothing_back(
    state: states.TransactionState,
) -> None:
    finding = Finding(verdict=V.INCONCLUSIVE, unreadable=(unreadable(),), own_unreadable=True)
    (difference,) = differences(state, finding)
    assert difference.kind is K.RECORD_UNREADABLE
    assert "id: is missing" in explained(difference.explanation)
    assert as_status_update(state, finding) == (None, finding)
