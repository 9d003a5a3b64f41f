"""Whose a status record is: the transaction's own, another one's, or that of an operation made elsewhere.

Records belong together by reference and type, byte for byte and in any letter case, and by an id that was
attributed before. What a transaction's own records mean is `outcomes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from wallet_gateway.domain.unknown_types import has_known_type
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.follow_ups import DetachedRefundResponse
from wallet_gateway.protocol.status import StatusRecord
from wallet_gateway.protocol.text import storable

APPROVED = "Approved"


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
    record_id: str = ""
    """The record attributed to this transaction; no record under another reference is then its own."""
    approved_id: str = ""
    """The record that approved this transaction; an approved one with another id is a second execution."""
    is_accepted_twice: bool = False
    """A person has accepted it although it was executed twice: only one execution is its own."""
    taken: frozenset[tuple[str, str]] = frozenset()
    """(id, folded type) of records already attributed to other transactions."""
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
        if (record in strangers and record.state == APPROVED) or _is_elsewhere(record, expected, known)
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
    may_be_ours = expected.record_id in {"", record.id}
    return may_be_ours and record.client_system_transaction_id in expected.other_references


def _of_another_amount(fits: Sequence[StatusRecord], expected: Expectation) -> list[StatusRecord]:
    """Return the records that fit and are another's by their amount.

    Under a reference that transactions share, a record of another amount is another's if one of our amount
    stands beside it, or if it is like the one of a transaction that has its record already.
    """
    shared = [record for record in fits if record.client_system_transaction_id != expected.reference]
    odd = [record for record in shared if minor_units(record) != expected.amount]
    if len(odd) < len(fits):
        return odd
    return [record for record in odd if (record.type.lower(), minor_units(record)) in expected.attributed]


def _further_executions(fits: Sequence[StatusRecord], expected: Expectation) -> list[StatusRecord]:
    """Return the approvals beside our own, once a person has accepted that there are several.

    Not without our own: a gateway that gives one record another id has carried out nothing more.
    """
    approved = sorted(storable(record.id) for record in fits if record.state == APPROVED)
    own = expected.approved_id or next(iter(approved), "")
    if not expected.is_accepted_twice or own not in approved:
        return []
    return [record for record in fits if record.state == APPROVED and storable(record.id) != own]


def _is_elsewhere(record: StatusRecord, expected: Expectation, known: Iterable[str]) -> bool:
    return (
        record.client_system_transaction_id in known
        and record.state == APPROVED
        and has_known_type(record)
        and not _fits(record, expected)
        and (record.id, record.type.lower()) not in expected.taken
    )


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
