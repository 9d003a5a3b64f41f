"""Convert the gateway's words to our evidence; only this and `record_attribution` read `state` and `type`.

A record is evidence about itself, so each is judged alone, and then the judgments are combined:

1. Only an approved record says that money moved. Its amount, currency and id are compared with what we
   requested; what differs is a discrepancy that names the record as it stands.
2. A discrepancy that a person has closed leaves out its record, as long as nothing of that record changes.
   The record by which we have booked the transaction is never left out, and one whose id is a placeholder
   cannot be told from the next one, so it is judged anew.
3. A record that moved nothing (errored) decides nothing about money: nothing of it is compared.
4. A pending record holds the transaction, whatever its amount. So does a word that the interface does not
   name, and what may be our record and cannot be read: it exists only because somebody decided.

One approved as requested is an approval; approved otherwise, or two of them, contradict; only errored ones
are a refusal; anything that holds, holds; nothing is absence. An HTTP status or a missing echo never decides.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.explanations import Explanation, ExplanationCode, explain
from wallet_gateway.domain.record_attribution import (
    Expectation,
    attribute,
    is_placeholder,
    made_under_own_reference,
    minor_units,
)
from wallet_gateway.domain.states import LifecycleEvent, PaymentType, TransactionKind
from wallet_gateway.domain.unknown_types import of_unknown_type, unknown_type_explanation
from wallet_gateway.domain.unreadable_records import (
    concerning,
    is_surely_own,
    may_be_own,
    unreadable_explanation,
)
from wallet_gateway.protocol import endpoints
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.follow_ups import DetachedRefundResponse, FollowUpResponse
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.status import (
    RecordState,
    StatusRecord,
    UnreadableRecord,
    digest,
    known_state,
)
from wallet_gateway.protocol.text import quote, storable

LONGEST_RECORD_ID = 128
"""Maximum length of a gateway's id; the interface names none. If cut, two long ids could become equal."""


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
class FoundDiscrepancy:
    """A way in which the evidence differs from our records."""

    kind: DiscrepancyKind
    explanation: Explanation | None = None
    record: str = ""
    """The fingerprint of the record it is about, as it stands; empty if it is about no single record."""
    amount: int | None = None
    """What the record says in minor units, where it is an approval in our currency."""
    record_id: str = ""
    """The id of that record."""
    is_judged_anew: bool = False
    """Nothing tells the record from the next one, so a person's decision about it ends with that decision."""

    @property
    def fingerprint(self) -> str:
        """Return the text by which the same discrepancy of a transaction is known again."""
        return self.record or (self.explanation.fingerprint if self.explanation else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The meaning of the evidence, with the reason."""

    verdict: Verdict
    record_id: str = ""
    """The id of the approval, where there is one that can be stored."""
    record: str = ""
    """The fingerprint of the record that approves."""
    reported_id: str = ""
    """The id that an answer to our request or an approved record gives it; it claims nothing."""
    amount: int | None = None
    """Minor units approved, where the verdict is an approval."""
    provider_state: str = ""
    provider_transaction_id: str = ""
    discrepancies: tuple[FoundDiscrepancy, ...] = ()
    explanation: Explanation | None = None
    shown_amount: int | None = None
    """Minor units of an approval as requested that is part of the evidence, whatever else contradicts."""
    undocumented_state: str = ""
    """The word of a record of ours that the interface does not name as a state."""
    elsewhere: tuple[StatusRecord, ...] = ()
    """Records on our payment that none of our transactions requested."""
    unknown_references: tuple[StatusRecord, ...] = ()
    """Such records under a reference that none of our transactions has."""
    unknown_types: tuple[StatusRecord, ...] = ()
    """Records on our payment of a type that the interface does not name."""
    of_others: tuple[StatusRecord, ...] = ()
    """Approved records in the answer that other transactions of the payment were booked by."""
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
        """Return the first discrepancy that the evidence shows; an unreadable or unknown record is one."""
        if self.discrepancies:
            return self.discrepancies[0].kind
        if self.unreadable:
            return DiscrepancyKind.RECORD_UNREADABLE
        if self.unknown_types:
            return DiscrepancyKind.UNKNOWN_TYPE
        return DiscrepancyKind.UNKNOWN_STATE if self.undocumented_state else None


INCONCLUSIVE = Finding(verdict=Verdict.INCONCLUSIVE)


# The direct answer to a request of ours


def read_follow_up_answer(answer: FollowUpResponse, expected: Expectation) -> Finding:
    """Evaluate the direct answer to a capture, refund or reversal (the interface, Follow-up response)."""
    missing = _echo_fault(answer.client_system_transaction_id, answer.currency_code, expected)
    if missing:
        return Finding(verdict=Verdict.INCONCLUSIVE, explanation=explain(missing))
    reported_id = storable(answer.id)
    if _is_too_long(answer.id) or is_placeholder(reported_id):
        reported_id = ""
    if known_state(answer.state) is not RecordState.APPROVED:
        return _not_approved(answer.state, reported_id, storable(answer.provider_state_code))
    if _is_too_long(answer.id):
        return replace(_contradiction(_unusable_id(answer.id)), shown_amount=expected.amount)
    return Finding(
        verdict=Verdict.APPROVED,
        shown_amount=expected.amount,
        record_id=reported_id,
        reported_id=reported_id,
        amount=expected.amount,
        provider_state=storable(answer.provider_state_code),
    )


def read_detached_answer(answer: DetachedRefundResponse, expected: Expectation) -> Finding:
    """Evaluate the direct answer to a detached refund; the amount in it is what was refunded."""
    missing = _echo_fault(answer.client_system_transaction_id, answer.currency_code, expected)
    if missing:
        return Finding(verdict=Verdict.INCONCLUSIVE, explanation=explain(missing))
    said = answer.response_message or answer.provider_response_message
    if known_state(answer.state) is not RecordState.APPROVED:
        return _not_approved(answer.state, said=storable(said))
    approved = minor_units(answer)
    if approved is None or approved == 0:
        return Finding(verdict=Verdict.INCONCLUSIVE, explanation=explain(ExplanationCode.AMOUNT_UNREADABLE))
    if approved > expected.amount:
        return _above_request(approved, expected)
    why = explain(ExplanationCode.GATEWAY_MESSAGE, said=said) if said else None
    return Finding(
        verdict=Verdict.APPROVED,
        shown_amount=approved,
        amount=approved,
        explanation=why,
        provider_state=storable(answer.provider_response_code),
        provider_transaction_id=storable(answer.provider_authorization_id),
    )


def _above_request(approved: int, expected: Expectation) -> Finding:
    given, asked = _written(approved, expected), _written(expected.amount, expected)
    mixed_up = _are_mixed_up(approved, expected)
    kind = DiscrepancyKind.UNIT_MIX_UP if mixed_up else DiscrepancyKind.APPROVED_ABOVE_REQUEST
    why = explain(
        ExplanationCode.APPROVED_ABOVE_REQUEST, given=given, requested=asked, currency=expected.currency
    )
    return _contradiction(FoundDiscrepancy(kind=kind, explanation=why))


def _not_approved(state: str | None, reported_id: str = "", said: str = "") -> Finding:
    known = known_state(state)
    if known is RecordState.ERRORED:
        why = explain(ExplanationCode.ERRORED, said=said)
        return Finding(verdict=Verdict.REJECTED, reported_id=reported_id, explanation=why)
    if known is RecordState.PENDING:
        return Finding(verdict=Verdict.PENDING, reported_id=reported_id)
    why = explain(ExplanationCode.STATE_UNDOCUMENTED, given=quote(state))
    if not (state or "").strip():
        return Finding(verdict=Verdict.INCONCLUSIVE, reported_id=reported_id, explanation=why)
    return Finding(
        verdict=Verdict.PENDING,
        reported_id=reported_id,
        explanation=why,
        undocumented_state=storable(state),
    )


def _echo_fault(reference: str | None, currency: str | None, expected: Expectation) -> ExplanationCode | None:
    if reference != expected.reference:
        return ExplanationCode.REFERENCE_NOT_ECHOED
    return None if currency == expected.currency else ExplanationCode.CURRENCY_NOT_ECHOED


# The answer to a status query


def read_records(
    records: Sequence[StatusRecord],
    expected: Expectation,
    unreadable: Sequence[UnreadableRecord] = (),
    *,
    closed: Collection[str] = frozenset(),
) -> Finding:
    """Evaluate the answer to a status query (the interface, section Transaction status record).

    `closed` are the fingerprints of records whose discrepancy a person has closed.
    """
    attribution = attribute(records, expected)
    doubtful = concerning(unreadable, expected)
    unknown = of_unknown_type(records, {expected.reference} | expected.other_references)
    found = _not_absent(_judge(attribution.own, expected, closed), unknown, expected)
    # Where something contradicts, too: an approval as requested can have been captured or given back already.
    is_paid = expected.is_paid or found.shown_amount is not None
    found = replace(
        found,
        elsewhere=attribution.elsewhere,
        unknown_references=made_under_own_reference(records, expected) if is_paid else (),
        unreadable=doubtful,
        unknown_types=unknown,
        of_others=tuple(
            one for one in records if one.is_approved and (one.id, one.type.lower()) in expected.taken
        ),
    )
    if found.verdict not in _MAY_HIDE_AN_APPROVAL or not any(may_be_own(one, expected) for one in doubtful):
        return found
    # What is surely ours exists because somebody decided; a stray element that cannot be read says nothing.
    holds = any(is_surely_own(one, expected) for one in doubtful)
    return replace(
        found,
        verdict=Verdict.PENDING if holds else Verdict.INCONCLUSIVE,
        explanation=unreadable_explanation(doubtful),
        absent=False,
        own_unreadable=True,
    )


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


def _judge(fits: Sequence[StatusRecord], expected: Expectation, closed: Collection[str]) -> Finding:
    """Judge each record for itself, and combine the judgments: see the module's docstring."""
    requested: dict[str, StatusRecord] = {}
    differing: list[FoundDiscrepancy] = []
    left_out = nameless = 0
    # A person has accepted it, and has seen no id by which its record could be known again.
    is_nameless = expected.is_accepted and not expected.approved_id
    for record in fits:
        if not record.is_approved:
            continue
        record_id, mark = storable(record.id), _mark(record)
        if is_placeholder(record_id):
            nameless += 1
            if not is_nameless or nameless > 1:
                differing.append(_nameless(record, nameless, expected))
        elif mark in closed and record_id != expected.approved_id:
            left_out += 1
        elif mark not in closed and (difference := _difference(record, expected)) is not None:
            differing.append(difference)
        else:
            requested[record_id] = record
    # The record that approved it counts too, whether or not this answer lists it.
    own = expected.approved_id or ("" if is_nameless else min(requested, default=""))
    for record_id, record in sorted(requested.items()):
        if record_id != own:
            differing.append(_executed_twice({own, *requested}, record))
    if differing:
        shown = [one.amount for one in differing if one.kind in _AS_REQUESTED]
        found = replace(
            _contradiction(*differing),
            shown_amount=minor_units(requested[own]) if own in requested else next(iter(shown), None),
            reported_id=own if own in requested else "",
        )
    elif own in requested:
        # It only contradicts what had ended before: a person who accepts it accepts this record.
        found = replace(_approved(requested[own]), reported_id=own)
    elif is_nameless and (nameless or left_out):
        found = Finding(verdict=Verdict.APPROVED, shown_amount=expected.amount, amount=expected.amount)
    else:
        found = _judge_unapproved([record for record in fits if not record.is_approved], expected)
    words = [storable(record.state) for record in fits if record.known_state is None]
    return replace(found, undocumented_state=words[0] if words else "")


_AS_REQUESTED = frozenset({DiscrepancyKind.RECORD_UNUSABLE, DiscrepancyKind.EXECUTED_TWICE})
"""Kinds about a record with our amount and currency."""


def _approved(record: StatusRecord) -> Finding:
    return Finding(
        verdict=Verdict.APPROVED,
        shown_amount=minor_units(record),
        record_id=storable(record.id),
        record=record.fingerprint,
        amount=minor_units(record),
        provider_state=storable(record.apm_details.apm_name) if record.apm_details else "",
        provider_transaction_id=provider_id(record),
    )


def provider_id(record: StatusRecord) -> str:
    """Return the provider's own id of a transaction; empty if the record has none."""
    return storable(record.apm_details.apm_provider_transaction_id) if record.apm_details else ""


def _judge_unapproved(records: Sequence[StatusRecord], expected: Expectation) -> Finding:
    """Judge records of which none says that money moved."""
    if expected.approved_id:
        # Another attempt on the same page says nothing of the record that we have booked.
        records = [one for one in records if one.id == expected.approved_id]
    if not records:
        return Finding(
            verdict=Verdict.INCONCLUSIVE, explanation=explain(ExplanationCode.NO_RECORD), absent=True
        )
    holding = [record for record in records if record.known_state is not _ERRORED]
    if not holding:
        return replace(_not_approved(_ERRORED), record=records[-1].fingerprint)
    unknown = [record for record in holding if record.known_state is None]
    found = replace(
        _not_approved(unknown[0].state if unknown else RecordState.PENDING), record=holding[-1].fingerprint
    )
    other = next((record for record in holding if minor_units(record) != expected.amount), None)
    if found.explanation is None and other is not None and not expected.may_be_less:
        return replace(found, explanation=_amounts(other, expected))
    return found


_ERRORED = RecordState.ERRORED


# How an approved record differs from what was requested


def _difference(record: StatusRecord, expected: Expectation) -> FoundDiscrepancy | None:
    if record.currency_code != expected.currency:
        kind = DiscrepancyKind.CURRENCY_DIFFERS
        why = explain(
            ExplanationCode.CURRENCY_DIFFERS,
            record=record.id,
            given=record.currency_code,
            requested=expected.currency,
        )
        return FoundDiscrepancy(kind=kind, explanation=why, record=_mark(record))
    amount = minor_units(record)
    least = 1 if expected.may_be_less else expected.amount
    if amount is not None and least <= amount <= expected.amount:
        return replace(_unusable_id(record.id), amount=amount) if _is_too_long(record.id) else None
    mixed_up = amount is not None and _are_mixed_up(amount, expected)
    kind = DiscrepancyKind.UNIT_MIX_UP if mixed_up else DiscrepancyKind.AMOUNT_DIFFERS
    return FoundDiscrepancy(
        kind=kind,
        explanation=_amounts(record, expected),
        record=_mark(record),
        amount=amount,
        record_id="" if _is_too_long(record.id) else storable(record.id),
    )


def _mark(record: StatusRecord) -> str:
    """Return the fingerprint by which a record's discrepancy names it."""
    return _mark_of_unusable(record.id) if _is_too_long(record.id) else record.fingerprint


def _mark_of_unusable(record_id: str | None) -> str:
    # The answer to our request and the record that follows it are the same news.
    return digest("id", record_id or "")


def _is_too_long(record_id: str | None) -> bool:
    return len(record_id or "") > LONGEST_RECORD_ID


def _unusable_id(record_id: str | None) -> FoundDiscrepancy:
    why = explain(ExplanationCode.RECORD_ID_TOO_LONG, limit=LONGEST_RECORD_ID, said=record_id)
    kind = DiscrepancyKind.RECORD_UNUSABLE
    return FoundDiscrepancy(kind=kind, explanation=why, record=_mark_of_unusable(record_id))


def _nameless(record: StatusRecord, number: int, expected: Expectation) -> FoundDiscrepancy:
    """Return the discrepancy of an approved record whose id is a placeholder, the first or a further one."""
    found = _difference(record, expected) or FoundDiscrepancy(
        kind=DiscrepancyKind.RECORD_UNUSABLE,
        explanation=explain(ExplanationCode.RECORD_ID_PLACEHOLDER, record=record.id),
        amount=minor_units(record),
    )
    mark = digest(record.fingerprint, str(number))
    return replace(found, record=mark, record_id="", is_judged_anew=True)


def _executed_twice(ids: Collection[str], record: StatusRecord) -> FoundDiscrepancy:
    why = explain(ExplanationCode.EXECUTED_TWICE, ids=", ".join(sorted(filter(None, ids))))
    kind = DiscrepancyKind.EXECUTED_TWICE
    return FoundDiscrepancy(kind=kind, explanation=why, record=record.fingerprint, amount=minor_units(record))


def _amounts(record: StatusRecord, expected: Expectation) -> Explanation:
    return explain(
        ExplanationCode.AMOUNT_DIFFERS,
        record=record.id,
        given=str(record.transaction_amount),
        requested=_written(expected.amount, expected),
        currency=expected.currency,
    )


def _are_mixed_up(amount: int, expected: Expectation) -> bool:
    """Return whether two different amounts differ by exactly the factor between major and minor units."""
    factor: int = 10 ** currency_exponent(expected.currency)
    return amount == expected.amount * factor or amount * factor == expected.amount


def _written(amount: int, expected: Expectation) -> str:
    return Money.from_minor_units(amount, expected.currency).to_wire()


def _contradiction(*discrepancies: FoundDiscrepancy) -> Finding:
    return Finding(
        verdict=Verdict.CONTRADICTION,
        discrepancies=discrepancies,
        explanation=discrepancies[0].explanation,
    )
