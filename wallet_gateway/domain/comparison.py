"""Compare a gateway's answer with our records and name each difference by type. Decides; writes nothing.

Only records under a reference that we know can be found: a status query searches by reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.evidence import (
    EVENTS,
    Finding,
    FoundDiscrepancy,
    Verdict,
    made_elsewhere,
    unknown_type_explanation,
    unreadable_explanation,
)
from wallet_gateway.domain.explanations import Explanation, ExplanationCode, explain
from wallet_gateway.domain.states import LifecycleEvent, TransactionState
from wallet_gateway.protocol.text import quote


class DifferenceKind(StrEnum):
    """How our records and the gateway's differ about one transaction."""

    MISSING_THERE = "missing there"
    """Approved here, and the gateway has no record of it."""
    AMOUNT = "amount"
    CURRENCY = "currency"
    STATE = "state"
    """Approved, refused or pending at the gateway, and another state here; or a word that nobody knows."""
    DUPLICATE = "duplicate"
    """More than one record for one request, or a record that belongs to another transaction."""
    MADE_ELSEWHERE = "made elsewhere"
    """An operation on our payment that we did not request, perhaps made in the provider's portal."""
    UNKNOWN_TYPE = "unknown type"
    """A record on our payment of a type that the interface does not name."""
    UNREADABLE = "unreadable"
    """A record on our payment that cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One difference about one transaction."""

    kind: DifferenceKind
    explanation: Explanation


_NAMED = {
    DiscrepancyKind.AMOUNT_DIFFERS: DifferenceKind.AMOUNT,
    DiscrepancyKind.UNIT_MIX_UP: DifferenceKind.AMOUNT,
    DiscrepancyKind.APPROVED_ABOVE_REQUEST: DifferenceKind.AMOUNT,
    DiscrepancyKind.CURRENCY_DIFFERS: DifferenceKind.CURRENCY,
    DiscrepancyKind.EXECUTED_TWICE: DifferenceKind.DUPLICATE,
    DiscrepancyKind.RECORD_TAKEN: DifferenceKind.DUPLICATE,
}
_SAYS = {
    Verdict.APPROVED: frozenset({TransactionState.APPROVED}),
    Verdict.PENDING: frozenset({TransactionState.PENDING, TransactionState.AWAITING_3DS}),
    # A transaction that ended here without money may have a record that says why.
    Verdict.REJECTED: frozenset(
        {TransactionState.REJECTED, TransactionState.ABANDONED, TransactionState.EXPIRED}
    ),
}
"""States that agree with the gateway's answer."""


def differences(
    state: TransactionState, finding: Finding, *, is_settled: bool = False
) -> tuple[Difference, ...]:
    """Return every difference between a transaction in this state and the gateway's answer.

    `is_settled` means that a person has closed those of the transaction's own records; what stands beside
    them is a difference all the same.
    """
    found = [
        Difference(kind=DifferenceKind.MADE_ELSEWHERE, explanation=made_elsewhere(record))
        for record in (*finding.elsewhere, *finding.unknown_references)
    ]
    found += [
        Difference(kind=DifferenceKind.UNKNOWN_TYPE, explanation=unknown_type_explanation(record))
        for record in finding.unknown_types
    ]
    if finding.unreadable:
        why = unreadable_explanation(finding.unreadable)
        found.append(Difference(kind=DifferenceKind.UNREADABLE, explanation=why))
    return tuple(found) if is_settled else (*_own(state, finding), *found)


def _own(state: TransactionState, finding: Finding) -> Iterator[Difference]:
    for found in finding.discrepancies:
        kind = _NAMED.get(found.kind, DifferenceKind.STATE)
        yield Difference(kind=kind, explanation=found.explanation or _states(finding, state))
    if finding.discrepancies or finding.own_unreadable:
        return
    if finding.absent and state is TransactionState.APPROVED:
        yield Difference(kind=DifferenceKind.MISSING_THERE, explanation=explain(ExplanationCode.NO_RECORD))
    elif finding.undocumented_state:
        # It holds as a pending one does, and a person has to read it all the same.
        why = explain(ExplanationCode.STATE_UNDOCUMENTED, given=quote(finding.undocumented_state))
        yield Difference(kind=DifferenceKind.STATE, explanation=why)
    elif finding.verdict in _SAYS and state not in _SAYS[finding.verdict]:
        yield Difference(kind=DifferenceKind.STATE, explanation=_states(finding, state))


def _states(finding: Finding, state: TransactionState) -> Explanation:
    return explain(ExplanationCode.STATE_DIFFERS, reported=finding.verdict.value, state=state.value)


def as_status_update(state: TransactionState, finding: Finding) -> tuple[LifecycleEvent | None, Finding]:
    """Return the lifecycle event for a difference, and the finding to record.

    An approval is not revoked because the gateway reports another state later, or has no record any more: a
    person must resolve such a difference.
    """
    if not finding.discrepancies and state is TransactionState.APPROVED:
        if finding.absent:
            missing = FoundDiscrepancy(
                kind=DiscrepancyKind.MISSING_THERE, explanation=explain(ExplanationCode.NO_RECORD)
            )
            return None, replace(finding, discrepancies=(missing,))
        # A word that is not documented is an alarm of its own, and contradicts nothing.
        is_other = finding.verdict is Verdict.REJECTED or (
            finding.verdict is Verdict.PENDING and not (finding.undocumented_state or finding.own_unreadable)
        )
        if is_other:
            why = _states(finding, state)
            differs = FoundDiscrepancy(
                kind=DiscrepancyKind.STATE_DIFFERS, explanation=why, record=finding.record
            )
            return None, replace(finding, discrepancies=(differs,), explanation=why)
    return EVENTS.get(finding.verdict), finding
