"""Compare a gateway's answer with our records and name each difference by type. Decides; writes nothing.

Only records under a reference that we know can be found: a status query searches by reference.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.explanations import Explanation, ExplanationCode, explain
from wallet_gateway.domain.lifecycle import LifecycleEvent, TransactionState
from wallet_gateway.domain.outcomes import EVENTS, Finding, Verdict, made_elsewhere
from wallet_gateway.domain.unknown_types import unknown_type_explanation
from wallet_gateway.domain.unreadable_records import unreadable_explanation


class DifferenceKind(StrEnum):
    """How our records and the gateway's differ about one transaction."""

    MISSING_THERE = "missing there"
    """Approved here, and the gateway has no record of it."""
    AMOUNT = "amount"
    CURRENCY = "currency"
    STATE = "state"
    """Approved, refused or pending at the gateway, and a different state here."""
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


def differences(state: TransactionState, finding: Finding) -> tuple[Difference, ...]:
    """Return every difference between a transaction in this state and the gateway's answer."""
    found = [
        Difference(kind=DifferenceKind.MADE_ELSEWHERE, explanation=made_elsewhere(record))
        for record in finding.elsewhere
    ]
    found += [
        Difference(kind=DifferenceKind.UNKNOWN_TYPE, explanation=unknown_type_explanation(record))
        for record in finding.unknown_types
    ]
    if finding.unreadable:
        why = unreadable_explanation(finding.unreadable)
        found.append(Difference(kind=DifferenceKind.UNREADABLE, explanation=why))
    own = _own(state, finding)
    return (own, *found) if own else tuple(found)


def _own(state: TransactionState, finding: Finding) -> Difference | None:
    if finding.discrepancy is not None:
        kind = _NAMED.get(finding.discrepancy, DifferenceKind.STATE)
        return Difference(kind=kind, explanation=finding.explanation or _states(finding, state))
    if finding.absent and state is TransactionState.APPROVED:
        return Difference(kind=DifferenceKind.MISSING_THERE, explanation=explain(ExplanationCode.NO_RECORD))
    if finding.verdict in _SAYS and state not in _SAYS[finding.verdict]:
        return Difference(kind=DifferenceKind.STATE, explanation=_states(finding, state))
    return None


def _states(finding: Finding, state: TransactionState) -> Explanation:
    return explain(ExplanationCode.STATE_DIFFERS, reported=finding.verdict.value, state=state.value)


def as_status_update(state: TransactionState, finding: Finding) -> tuple[LifecycleEvent | None, Finding]:
    """Return the lifecycle event for a difference, and the finding to record.

    An approval is not revoked because the gateway reports another state later, or has no record any more: a
    person must resolve such a difference.
    """
    if finding.discrepancy is None and state is TransactionState.APPROVED:
        if finding.absent:
            return None, replace(finding, discrepancy=DiscrepancyKind.MISSING_THERE)
        if finding.verdict in {Verdict.REJECTED, Verdict.PENDING}:
            why = _states(finding, state)
            return None, replace(finding, discrepancy=DiscrepancyKind.STATE_DIFFERS, explanation=why)
    return EVENTS.get(finding.verdict), finding
