"""Whose a status record is: the transaction's own, another one's, or that of an operation made elsewhere.

Records belong together by reference and type, byte for byte and in any letter case, and by an id that was
attributed before. What a transaction's own records mean is `outcomes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from wallet_gateway.domain.states import PaymentType, TransactionKind
from wallet_gateway.domain.unknown_types import has_known_type
from wallet_gateway.protocol import endpoints
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.follow_ups import DetachedRefundResponse
from wallet_gateway.protocol.status import RecordState, StatusRecord
from wallet_gateway.protocol.text import storable

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """The records of a status query by whose they are."""

    own: tuple[StatusRecord, ...]
    """The transaction's; several approved ones are a second execution."""
    elsewhere: tuple[StatusRecord, ...]
    """Approved, on our payment, and requested by none of our transactions."""


def attribute(records: Sequence[StatusRecord], expected: Expectation) -> Attribution:
    """Return which records are the transaction's own, and which are of operations made elsewhere."""
    fits = [record for record in records if _fits(record, expected)]
    strangers = [*_of_another_amount(fits, expected), *_further_executions(fits, expected)]
    known = {expected.reference} | expected.other_references
    others = (
        record
        for record in records
        if (record in strangers and record.is_approved) or _is_elsewhere(record, expected, known)
    )
    return Attribution(
        own=tuple(record for record in fits if record not in strangers),
        elsewhere=tuple(_unexplained(others, expected)),
    )


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
