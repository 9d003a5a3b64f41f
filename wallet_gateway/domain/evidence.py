"""Convert the gateway's words to our evidence: whose a status record is, and what it means.

Only this reads `state` and `type`. Records belong together by reference and type, byte for byte and in any
letter case, and by an id that was attributed before. A record is evidence about itself, so each is judged
alone, and then the judgments are combined:

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

It is one long file because each part is wrong without the others: a reader who changes one rule needs all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from wallet_gateway.domain.discrepancies import DiscrepancyKind, Explanation, ExplanationCode, explain
from wallet_gateway.domain.states import LifecycleEvent, PaymentType, TransactionKind
from wallet_gateway.protocol import endpoints
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.endpoints import WIRE_TYPES
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.follow_ups import DetachedRefundResponse, FollowUpResponse
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.status import RecordState, StatusRecord, UnreadableRecord, digest, known_state
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
    explanation: Explanation
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
        return self.record or self.explanation.fingerprint


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
        mixed_up = _are_mixed_up(approved, expected)
        kind = DiscrepancyKind.UNIT_MIX_UP if mixed_up else DiscrepancyKind.APPROVED_ABOVE_REQUEST
        above = explain(
            ExplanationCode.APPROVED_ABOVE_REQUEST,
            given=_written(approved, expected),
            requested=_written(expected.amount, expected),
            currency=expected.currency,
        )
        return _contradiction(FoundDiscrepancy(kind=kind, explanation=above))
    why = explain(ExplanationCode.GATEWAY_MESSAGE, said=said) if said else None
    return Finding(
        verdict=Verdict.APPROVED,
        shown_amount=approved,
        amount=approved,
        explanation=why,
        provider_state=storable(answer.provider_response_code),
        provider_transaction_id=storable(answer.provider_authorization_id),
    )


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
    own, elsewhere = attribute(records, expected)
    doubtful = tuple(record for record in unreadable if _concerns(record, expected))
    unknown = of_unknown_type(records, {expected.reference} | expected.other_references)
    found = _judge(own, expected, closed)
    own_unknown = [one for one in unknown if one.client_system_transaction_id == expected.reference]
    if found.absent and own_unknown:
        found = replace(found, absent=False, explanation=unknown_type_explanation(own_unknown[0]))
    # Where something contradicts, too: an approval as requested can have been captured or given back already.
    is_paid = expected.is_paid or found.shown_amount is not None
    found = replace(
        found,
        elsewhere=tuple(elsewhere),
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


def made_elsewhere(record: StatusRecord) -> Explanation:
    """Return the description of a record that none of our transactions requested."""
    return explain(ExplanationCode.MADE_ELSEWHERE, type=record.type, **_shown(record))


def _shown(record: StatusRecord) -> dict[str, str | None]:
    return {
        "given": str(record.transaction_amount),
        "currency": record.currency_code,
        "record": record.id,
    }


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
    is_named = any(one.kind is DiscrepancyKind.EXECUTED_TWICE for one in differing)
    if differing and own in requested and not (expected.approved_id or is_named):
        # Who gives the transaction up because of the record that differs must know of the one that does not.
        approved = {storable(one.id) for one in fits if one.is_approved and _mark(one) not in closed}
        twice = _executed_twice(approved, requested[own])
        differing.append(replace(differing[0], kind=twice.kind, explanation=twice.explanation))
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


# Whose a record is: ours, another transaction's, or that of an operation made elsewhere


KINDS: Mapping[str, TransactionKind] = {
    endpoints.wire_type(kind, PaymentType.PREAUTHORIZATION).lower(): kind
    for kind in (TransactionKind.CAPTURE, TransactionKind.REFUND, TransactionKind.REVERSAL)
}
"""The kind of each operation on a payment by its type, in the letter case used to compare records."""


def is_placeholder(record_id: str) -> bool:
    """Return whether an id is one that a gateway writes before it has assigned any: empty, or only zeros."""
    return not record_id.strip(" 0-{}")


def minor_units(message: DetachedRefundResponse | StatusRecord) -> int | None:
    """Return the amount of an answer or a record in minor units; None if it cannot be read."""
    try:
        money = message.money
    except ProtocolError:
        return None
    return None if money is None else money.minor_units


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedRecord:
    """A record that another of our transactions may still get: one, with its amount."""

    references: frozenset[str]
    """References under which the gateway may file it."""
    wire_type: str
    amount: int
    """Minor units."""

    def explains(self, record: StatusRecord) -> bool:
        """Return whether a record may be this one."""
        return (
            record.client_system_transaction_id in self.references
            and record.type.lower() == self.wire_type
            and minor_units(record) == self.amount
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """The values that one transaction requested, as its evidence must echo them."""

    reference: str
    wire_type: str
    currency: str
    amount: int
    """Minor units."""
    may_be_less: bool = False
    """A detached refund may be approved for less than was requested."""
    other_references: frozenset[str] = frozenset()
    """References under which the gateway may also file this transaction."""
    reported_id: str = ""
    """The id that the gateway gave it, if any; no record under another reference is then its own."""
    approved_id: str = ""
    """The record that approved this transaction; an approved one with another id is a second execution."""
    is_accepted: bool = False
    """A person has accepted the gateway's report of this transaction."""
    has_ended: bool = False
    """It has ended without money: only a record of exactly its amount can still be its own."""
    is_paid: bool = False
    """Its payment was approved, so captures and refunds of it are possible."""
    our_references: frozenset[str] = frozenset()
    """Further references in the answer that transactions of ours have, whichever payment they belong to."""
    is_accepted_twice: bool = False
    """A person has accepted it although it was executed twice: only one execution is its own."""
    taken: frozenset[tuple[str, str]] = frozenset()
    """(id, folded type) of approved records already attributed to other transactions."""
    attributed: frozenset[tuple[str, int]] = frozenset()
    """(folded type, amount) of those records: another like it may be a second execution."""
    expected_elsewhere: tuple[ExpectedRecord, ...] = ()
    """The records of our other transactions that are expected here; each explains one record."""


def attribute(
    records: Sequence[StatusRecord], expected: Expectation
) -> tuple[Sequence[StatusRecord], Iterable[StatusRecord]]:
    """Return which records are the transaction's own, and which were approved on our payment for nobody.

    Several approved ones of our own are a second execution.
    """
    fits = [record for record in records if _fits(record, expected)]
    strangers = [*_of_another_amount(fits, expected), *_further_executions(fits, expected)]
    known = {expected.reference} | expected.other_references
    others = (
        record
        for record in records
        if (record in strangers and record.is_approved) or _is_elsewhere(record, expected, known)
    )
    own = [record for record in fits if record not in strangers]
    return own, _unexplained(others, expected)


def _fits(record: StatusRecord, expected: Expectation) -> bool:
    record_type = record.type.lower()
    if record_type != expected.wire_type or (record.id, record_type) in expected.taken:
        return False
    if record.client_system_transaction_id == expected.reference:
        return True
    if record.client_system_transaction_id not in expected.other_references:
        return False
    if record.known_state is RecordState.ERRORED:
        # Its amount says nothing, so only its id can tell whose it is.
        return expected.reported_id != "" and record.id == expected.reported_id
    return expected.reported_id in {"", record.id}


def _of_another_amount(fits: Sequence[StatusRecord], expected: Expectation) -> list[StatusRecord]:
    """Return the records that fit and are another's by their amount.

    Under a reference that transactions share, a record of another amount is another's if ours has ended, if
    one of our amount stands beside it, or if it is like the one of a transaction that has its record already.
    """
    shared = [record for record in fits if record.client_system_transaction_id != expected.reference]
    odd = [record for record in shared if minor_units(record) != expected.amount]
    if expected.has_ended or len(odd) < len(fits):
        return odd
    return [record for record in odd if (record.type.lower(), minor_units(record)) in expected.attributed]


def _further_executions(fits: Sequence[StatusRecord], expected: Expectation) -> list[StatusRecord]:
    """Return the approvals beside our own, once a person has accepted that there are several.

    Not without our own: a gateway that gives one record another id has carried out nothing more.
    """
    approved = sorted(storable(record.id) for record in fits if record.is_approved)
    own = expected.approved_id or next(iter(approved), "")
    if not expected.is_accepted_twice or own not in approved:
        return []
    return [record for record in fits if record.is_approved and storable(record.id) != own]


def _is_elsewhere(record: StatusRecord, expected: Expectation, known: Iterable[str]) -> bool:
    return (
        record.client_system_transaction_id in known
        and record.is_approved
        and has_known_type(record)
        and not _fits(record, expected)
        and (record.id, record.type.lower()) not in expected.taken
    )


def made_under_own_reference(
    records: Sequence[StatusRecord], expected: Expectation
) -> tuple[StatusRecord, ...]:
    """Return the operations on our payment that the gateway files under a reference of its own.

    A provider's portal may make references, and join its operations to the payment by the invoice id.
    Openings and detached refunds under such a reference belong to no payment of ours.
    """
    known = {expected.reference} | expected.other_references | expected.our_references
    found = {
        (record.id, record.type.lower()): record
        for record in records
        if record.client_system_transaction_id not in known
        and record.is_approved
        and record.type.lower() in KINDS
        and (record.id, record.type.lower()) not in expected.taken
    }
    return tuple(found.values())


def _unexplained(records: Iterable[StatusRecord], expected: Expectation) -> Iterator[StatusRecord]:
    """Yield the records that no other of our transactions explains; each transaction explains one."""
    waiting, explained = list(expected.expected_elsewhere), set()
    for record in records:
        if (name := (record.id, record.type.lower())) in explained:
            continue
        sibling = next((one for one in waiting if one.explains(record)), None)
        if sibling is None:
            yield record
        else:
            waiting.remove(sibling)
            explained.add(name)


# Elements that cannot be read as a record


def may_be_own(record: UnreadableRecord, expected: Expectation) -> bool:
    """Return whether a record of our payment may be this transaction's: unknown fields may match."""
    if _folded_type(record) not in {"", expected.wire_type}:
        return False
    if record.client_system_transaction_id not in expected.other_references:
        return True
    return expected.reported_id in {"", record.id}


def is_surely_own(record: UnreadableRecord, expected: Expectation) -> bool:
    """Return whether a record names this transaction's reference, or stands for records that were not read.

    Of what is not read, nobody can say that the transaction has no record.
    """
    names_it = record.client_system_transaction_id == expected.reference
    return record.is_rest or (names_it and may_be_own(record, expected))


def unreadable_explanation(records: Sequence[UnreadableRecord]) -> Explanation:
    """Return how many records cannot be read, with the first of them and what is wrong with each."""
    named = [
        {
            "type": quote(record.type) if record.type else "",
            "id": quote(record.id) if record.id else "",
            "fault": record.complaint,
        }
        for record in records
    ]
    return explain(ExplanationCode.RECORDS_UNREADABLE, count=len(records), records=named)


def fingerprint_of(records: Sequence[UnreadableRecord]) -> str:
    """Return the same short text for the same records, regardless of their order and repetition."""
    seen = ",".join(sorted({record.fingerprint for record in records}))
    return hashlib.sha256(seen.encode()).hexdigest()[:16]


def _concerns(record: UnreadableRecord, expected: Expectation) -> bool:
    reference, record_type = record.client_system_transaction_id, _folded_type(record)
    if reference is not None and reference not in {expected.reference} | expected.other_references:
        return False
    if (record.id or "", record_type) in expected.taken:
        return False
    siblings = expected.expected_elsewhere
    return not any(reference in one.references and record_type == one.wire_type for one in siblings)


def _folded_type(record: UnreadableRecord) -> str:
    return (record.type or "").lower()


# Records of a type that the interface does not name


KNOWN_TYPES = frozenset(wire_type.lower() for wire_type in WIRE_TYPES.values())
"""The types that the interface names, in the normalized letter case."""


def of_unknown_type(records: Sequence[StatusRecord], references: Collection[str]) -> tuple[StatusRecord, ...]:
    """Return the records under these references whose type is unknown; an errored one changed nothing."""
    return tuple(
        record
        for record in records
        if not has_known_type(record)
        and record.known_state is not RecordState.ERRORED
        and record.client_system_transaction_id in references
    )


def has_known_type(record: StatusRecord) -> bool:
    """Return whether the interface names the record's type; the letter case does not matter."""
    return record.type.lower() in KNOWN_TYPES


def unknown_type_explanation(record: StatusRecord) -> Explanation:
    """Return the description of a record of an unknown type."""
    return explain(ExplanationCode.UNKNOWN_TYPE, type=record.type, state=record.state, **_shown(record))
