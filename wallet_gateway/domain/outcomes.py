"""Convert the gateway's words to our evidence; only this and `record_attribution` read `state` and `type`.

Answers and records are the input, a `Finding` is the output. Anything that is not clearly a yes or a no
changes nothing: an HTTP status, an undocumented state or a missing echo never decides about money.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.explanations import Explanation, ExplanationCode, explain
from wallet_gateway.domain.lifecycle import LifecycleEvent, PaymentType, TransactionKind
from wallet_gateway.domain.record_attribution import APPROVED, Expectation, attribute, minor_units
from wallet_gateway.domain.unknown_types import of_unknown_type, unknown_type_explanation
from wallet_gateway.domain.unreadable_records import concerning, may_be_own, unreadable_explanation
from wallet_gateway.protocol import endpoints
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.follow_ups import DetachedRefundResponse, FollowUpResponse
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.status import StatusRecord, UnreadableRecord
from wallet_gateway.protocol.text import quote, storable

LONGEST_RECORD_ID = 128
"""Maximum length of a gateway's id; the interface names none. If cut, two long ids could become equal."""

PENDING, ERRORED = "Pending", "Errored"


class Verdict(StrEnum):
    """The meaning of a piece of evidence for one transaction."""

    APPROVED = "APPROVED"
    REJECTED = "REJECTED"
    PENDING = "PENDING"
    INCONCLUSIVE = "INCONCLUSIVE"
    CONTRADICTION = "CONTRADICTION"


EVENTS = {
    Verdict.APPROVED: LifecycleEvent.APPROVED,
    Verdict.REJECTED: LifecycleEvent.REJECTED,
    Verdict.PENDING: LifecycleEvent.HELD,
    Verdict.CONTRADICTION: LifecycleEvent.CONTRADICTED,
}
"""The lifecycle event of each verdict; `INCONCLUSIVE` has none."""


def wire_type(kind: TransactionKind, payment_type: PaymentType) -> str:
    """Return the wire `type` of a transaction in the normalized letter case used to compare records."""
    return endpoints.wire_type(kind, payment_type).lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The meaning of the evidence, with the reason."""

    verdict: Verdict
    record_id: str = ""
    amount: int | None = None
    """Minor units approved, where the verdict is an approval."""
    provider_state: str = ""
    provider_transaction_id: str = ""
    discrepancy: DiscrepancyKind | None = None
    explanation: Explanation | None = None
    elsewhere: tuple[StatusRecord, ...] = ()
    """Records on our payment that none of our transactions requested."""
    unknown_types: tuple[StatusRecord, ...] = ()
    """Records on our payment of a type that the interface does not name."""
    absent: bool = False
    """The gateway answered, and has no matching record."""
    unreadable: tuple[UnreadableRecord, ...] = ()
    """Records that may belong to our payment and cannot be read."""
    own_unreadable: bool = False
    """One of them may be this transaction's own, no other record decides: neither evidence nor absence."""
    answer: str = ""
    """The redacted answer, if one of its records cannot be read."""

    @property
    def shown_discrepancy(self) -> DiscrepancyKind | None:
        """Return the discrepancy that the evidence shows; an unreadable or unknown record is one."""
        if self.discrepancy is None and self.unreadable:
            return DiscrepancyKind.RECORD_UNREADABLE
        if self.discrepancy is None and self.unknown_types:
            return DiscrepancyKind.UNKNOWN_TYPE
        return self.discrepancy


INCONCLUSIVE = Finding(verdict=Verdict.INCONCLUSIVE)


def read_follow_up_answer(answer: FollowUpResponse, expected: Expectation) -> Finding:
    """Evaluate the direct answer to a capture, refund or reversal (the interface, Follow-up response)."""
    missing = _echo_fault(answer.client_system_transaction_id, answer.currency_code, expected)
    if missing:
        return Finding(verdict=Verdict.INCONCLUSIVE, explanation=explain(missing))
    if unusable := _unusable_id(answer.id):
        return unusable
    if answer.state == APPROVED:
        return Finding(
            verdict=Verdict.APPROVED,
            record_id=storable(answer.id),
            amount=expected.amount,
            provider_state=storable(answer.provider_state_code),
        )
    return _not_approved(answer.state, storable(answer.id), storable(answer.provider_state_code))


def _unusable_id(record_id: str | None) -> Finding | None:
    if len(record_id or "") <= LONGEST_RECORD_ID:
        return None
    why = explain(ExplanationCode.RECORD_ID_TOO_LONG, limit=LONGEST_RECORD_ID, said=record_id)
    return _contradiction(DiscrepancyKind.RECORD_UNUSABLE, why)


def read_detached_answer(answer: DetachedRefundResponse, expected: Expectation) -> Finding:
    """Evaluate the direct answer to a detached refund; the amount in it is what was refunded."""
    missing = _echo_fault(answer.client_system_transaction_id, answer.currency_code, expected)
    if missing:
        return Finding(verdict=Verdict.INCONCLUSIVE, explanation=explain(missing))
    if answer.state != APPROVED:
        return _not_approved(answer.state, said=storable(answer.response_message))
    approved = minor_units(answer)
    if approved is None or approved == 0:
        return Finding(verdict=Verdict.INCONCLUSIVE, explanation=explain(ExplanationCode.AMOUNT_UNREADABLE))
    if approved > expected.amount:
        return _above_request(approved, expected)
    said = answer.response_message
    why = explain(ExplanationCode.GATEWAY_MESSAGE, said=said) if said else None
    return Finding(verdict=Verdict.APPROVED, amount=approved, explanation=why)


def _above_request(approved: int, expected: Expectation) -> Finding:
    given, asked = _written(approved, expected), _written(expected.amount, expected)
    mixed_up = _are_mixed_up(approved, expected)
    kind = DiscrepancyKind.UNIT_MIX_UP if mixed_up else DiscrepancyKind.APPROVED_ABOVE_REQUEST
    why = explain(
        ExplanationCode.APPROVED_ABOVE_REQUEST, given=given, requested=asked, currency=expected.currency
    )
    return _contradiction(kind, why)


def _not_approved(state: str | None, record_id: str = "", said: str = "") -> Finding:
    if state == ERRORED:
        why = explain(ExplanationCode.ERRORED, said=said)
        return Finding(verdict=Verdict.REJECTED, record_id=record_id, explanation=why)
    if state == PENDING:
        return Finding(verdict=Verdict.PENDING, record_id=record_id)
    why = explain(ExplanationCode.STATE_UNDOCUMENTED, given=quote(state))
    return Finding(verdict=Verdict.INCONCLUSIVE, explanation=why)


def _echo_fault(reference: str | None, currency: str | None, expected: Expectation) -> ExplanationCode | None:
    if reference != expected.reference:
        return ExplanationCode.REFERENCE_NOT_ECHOED
    return None if currency == expected.currency else ExplanationCode.CURRENCY_NOT_ECHOED


def read_records(
    records: Sequence[StatusRecord], expected: Expectation, unreadable: Sequence[UnreadableRecord] = ()
) -> Finding:
    """Evaluate the answer to a status query (the interface, section Transaction status record).

    Money that moved takes precedence over an error beside it. An unreadable record does not prevent an
    approved or pending result; beside any weaker result it may be the approval. A record of an unknown type
    decides nothing, and the gateway that has one under this reference does know it.
    """
    attribution = attribute(records, expected)
    elsewhere = attribution.elsewhere
    doubtful = concerning(unreadable, expected)
    unknown = of_unknown_type(records, {expected.reference} | expected.other_references)
    found = _not_absent(_judge(attribution.own, expected), unknown, expected)
    found = replace(found, elsewhere=elsewhere, unreadable=doubtful, unknown_types=unknown)
    if found.verdict in _MAY_HIDE_AN_APPROVAL and any(may_be_own(one, expected) for one in doubtful):
        return Finding(
            verdict=Verdict.INCONCLUSIVE,
            explanation=unreadable_explanation(doubtful),
            elsewhere=elsewhere,
            unknown_types=unknown,
            unreadable=doubtful,
            own_unreadable=True,
        )
    return found


_MAY_HIDE_AN_APPROVAL = frozenset({Verdict.REJECTED, Verdict.INCONCLUSIVE})


def _not_absent(found: Finding, unknown: Sequence[StatusRecord], expected: Expectation) -> Finding:
    own = [record for record in unknown if record.client_system_transaction_id == expected.reference]
    if not found.absent or not own:
        return found
    return replace(found, absent=False, explanation=unknown_type_explanation(own[0]))


def made_elsewhere(record: StatusRecord) -> Explanation:
    """Return the description of a record that none of our transactions requested."""
    return explain(
        ExplanationCode.MADE_ELSEWHERE,
        type=record.type,
        given=str(record.transaction_amount),
        currency=record.currency_code,
        record=record.id,
    )


def _judge(fits: Sequence[StatusRecord], expected: Expectation) -> Finding:
    for record in fits:
        if fault := _unusable_id(record.id) or _difference(record, expected):
            return fault
    approved = {storable(record.id): record for record in fits if record.state == APPROVED}
    # The record that approved it counts too, whether or not this answer lists it.
    executions = {*approved, expected.approved_id or next(iter(approved))} if approved else set()
    if len(executions) > 1:
        why = explain(ExplanationCode.EXECUTED_TWICE, ids=", ".join(sorted(executions)))
        return _contradiction(DiscrepancyKind.EXECUTED_TWICE, why)
    for record_id, record in approved.items():
        return Finding(
            verdict=Verdict.APPROVED,
            record_id=record_id,
            amount=minor_units(record),
            provider_state=storable(record.apm_details.apm_name) if record.apm_details else "",
            provider_transaction_id=provider_id(record),
        )
    return _judge_unapproved(fits)


def provider_id(record: StatusRecord) -> str:
    """Return the provider's own id of a transaction; empty if the record has none."""
    return storable(record.apm_details.apm_provider_transaction_id) if record.apm_details else ""


def _judge_unapproved(fits: Sequence[StatusRecord]) -> Finding:
    states = {record.state for record in fits}
    if not states:
        return Finding(
            verdict=Verdict.INCONCLUSIVE, explanation=explain(ExplanationCode.NO_RECORD), absent=True
        )
    record_id = storable(fits[-1].id)
    if PENDING in states:
        return Finding(verdict=Verdict.PENDING, record_id=record_id)
    undocumented = sorted(states - {ERRORED})
    return _not_approved(undocumented[0] if undocumented else ERRORED, record_id)


def _difference(record: StatusRecord, expected: Expectation) -> Finding | None:
    if record.currency_code != expected.currency:
        why = explain(
            ExplanationCode.CURRENCY_DIFFERS,
            record=record.id,
            given=record.currency_code,
            requested=expected.currency,
        )
        return _contradiction(DiscrepancyKind.CURRENCY_DIFFERS, why)
    amount = minor_units(record)
    least = 1 if expected.may_be_less else expected.amount
    if amount is not None and least <= amount <= expected.amount:
        return None
    return _amount_difference(record, amount, expected)


def _amount_difference(record: StatusRecord, amount: int | None, expected: Expectation) -> Finding:
    why = explain(
        ExplanationCode.AMOUNT_DIFFERS,
        record=record.id,
        given=str(record.transaction_amount),
        requested=_written(expected.amount, expected),
        currency=expected.currency,
    )
    mixed_up = amount is not None and _are_mixed_up(amount, expected)
    kind = DiscrepancyKind.UNIT_MIX_UP if mixed_up else DiscrepancyKind.AMOUNT_DIFFERS
    return _contradiction(kind, why)


def _are_mixed_up(amount: int, expected: Expectation) -> bool:
    """Return whether two different amounts differ by exactly the factor between major and minor units."""
    factor: int = 10 ** currency_exponent(expected.currency)
    return amount == expected.amount * factor or amount * factor == expected.amount


def _written(amount: int, expected: Expectation) -> str:
    return Money.from_minor_units(amount, expected.currency).to_wire()


def _contradiction(kind: DiscrepancyKind, why: Explanation) -> Finding:
    return Finding(verdict=Verdict.CONTRADICTION, discrepancy=kind, explanation=why)
