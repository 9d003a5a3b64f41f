"""The status query and the records it answers with: the interface, section Transaction status record.

The fields that decide about money are read strictly: state, type and reference, and of an approved record
id, amount and currency too. A record that is not approved moved nothing: what cannot be read of these three
is left out, as are parts of the time and of the payer's details.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.errors import FieldError, InvalidMessage, InvalidTime
from wallet_gateway.protocol.faults import names_a_fault
from wallet_gateway.protocol.field_types import KEPT, Amount, CurrencyCode, Identifier, OptionalText, Text
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.strict_json import Collision, NumberText, collisions, fold_name
from wallet_gateway.protocol.text import quote
from wallet_gateway.protocol.wire import WireModel

_TIMESTAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?"
)
_HALF_PAIR = re.compile(r"[\ud800-\udfff]")
_MAX_COMPLAINT_LENGTH = 300
MAX_RECORDS = 500
"""Elements of one answer that are read: one transaction has a handful, and reading takes processor time."""

JsonNumber = Annotated[Amount, WithJsonSchema({"type": "number", "minimum": 0})]
"""An amount that is a number on the wire."""


KeptText = Annotated[OptionalText | None, KEPT]
"""A text that decides nothing: what cannot be read as one is left out."""


class StatusQuery(WireModel):
    """The three query parameters of GET apmTransactions, all mandatory."""

    merchant_id: Identifier
    store_id: Identifier
    client_system_transaction_id: Identifier


class RecordedBillingAddress(WireModel):
    """The billing address as the provider reports it, in any text."""

    house_number: KeptText = None
    street: KeptText = None
    city: KeptText = None
    zip_postal_code: KeptText = None
    state: KeptText = None
    country_code: KeptText = None


class RecordedShippingAddress(RecordedBillingAddress):
    """The shipping address as the provider reports it."""

    first_name: KeptText = None
    last_name: KeptText = None
    telephone_number: KeptText = None
    email: KeptText = None


class RecordedApmDetails(WireModel):
    """The payer as the provider reports it, with more fields for a pre-authorization.

    "For an errored follow-up the payer fields and provider transaction id are null."
    """

    apm_name: KeptText = None
    apm_payer_account_number: KeptText = None
    apm_payer_email_address: KeptText = None
    apm_provider_transaction_id: KeptText = None
    apm_payer_shipping_name: KeptText = None
    apm_payer_shipping_street1: KeptText = None
    apm_payer_shipping_city_name: KeptText = None
    apm_payer_shipping_postal_code: KeptText = None
    apm_payer_shipping_country: KeptText = None
    apm_payer_shipping_phone: KeptText = None
    apm_payer_id: KeptText = Field(default=None, alias="apmPayerID")
    apm_payer_firstname: KeptText = None
    apm_payer_lastname: KeptText = None
    apm_payer_billing_name: KeptText = None
    apm_payer_billing_street1: KeptText = None
    apm_payer_billing_city_name: KeptText = None
    apm_payer_billing_country: KeptText = None
    apm_payer_billing_phone: KeptText = None
    apm_payer_billing_postal_code: KeptText = None
    apm_payer_country_code: KeptText = None
    apm_payer_state_or_province: KeptText = None
    billing_address: Annotated[RecordedBillingAddress | None, KEPT] = None
    shipping_address: Annotated[RecordedShippingAddress | None, KEPT] = None


class RecordState(StrEnum):
    """The states of a record that the interface names."""

    APPROVED = "Approved"
    PENDING = "Pending"
    ERRORED = "Errored"


def digest(*texts: str) -> str:
    """Return a short digest of texts, the same each time and different for each sequence."""
    return hashlib.sha256(ascii(texts).encode()).hexdigest()[:16]


def known_state(text: str | None) -> RecordState | None:
    """Return the state that a text names in any letter case; None for a word that is not documented."""
    return next((state for state in RecordState if state.lower() == (text or "").lower()), None)


def _is_approved(record: Mapping[str, Any]) -> bool:
    return known_state(record["state"]) is RecordState.APPROVED


class StatusRecord(WireModel):
    """One transaction as the service knows it; its amount is a number on the wire and a text here.

    Of a record that is not approved, id, amount and currency may be missing.
    """

    id: OptionalText | None = None
    state: Text
    currency_code: CurrencyCode | None = None
    transaction_amount: JsonNumber | None = None
    client_system_transaction_id: Identifier
    type: Text
    transaction_date_time: KeptText = Field(
        default=None, description="a time with seven digits of fraction and no zone, read as UTC"
    )
    apm_details: Annotated[RecordedApmDetails | None, KEPT] = None

    is_answer = True
    required_where = {
        # An empty one is an id without a use, see `domain.evidence`.
        "id": ("state is Approved", lambda record: record["id"] is None and _is_approved(record)),
        "currency_code": ("state is Approved", _is_approved),
        "transaction_amount": ("state is Approved", _is_approved),
    }

    @property
    def known_state(self) -> RecordState | None:
        """The state, compared in any letter case; None for a word that the interface does not name."""
        return known_state(self.state)

    @property
    def is_approved(self) -> bool:
        """Whether the record says that money moved or was reserved."""
        return _is_approved(vars(self))

    @property
    def money(self) -> Money | None:
        """The amount with its currency; None if the record lacks one of them."""
        if self.transaction_amount is None or self.currency_code is None:
            return None
        return Money.parse(self.transaction_amount, self.currency_code, allow_zero=True)

    @property
    def fingerprint(self) -> str:
        """A digest of the record as it stands: id, type, state, amount, currency and reference."""
        money = self.money
        amount = self.transaction_amount if money is None else str(money.minor_units)
        return digest(
            self.id or "",
            self.type.lower(),
            self.state.lower(),
            amount or "",
            self.currency_code or "",
            self.client_system_transaction_id,
        )

    @property
    def transacted_at(self) -> datetime | None:
        """The time of the transaction in UTC, to the microsecond; None if its text is no time."""
        try:
            return read_timestamp(self.transaction_date_time or "")
        except InvalidTime:
            return None

    def to_wire(self) -> dict[str, Any]:
        """The record as JSON values; the amount is a NumberText, which is written as a number."""
        values = super().to_wire()
        if self.transaction_amount is not None:
            values["transactionAmount"] = NumberText(self.transaction_amount)
        return values

    def to_json(self) -> bytes:
        """The record as bytes; the same record always gives the same bytes."""
        return strict_json.dumps(self.to_wire())


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableRecord:
    """An element of the answer that is no readable record, with those fields that can be read."""

    id: str | None = None
    """The gateway's own id; None if it cannot be read."""
    type: str | None = None
    """The type on the wire; None if it cannot be read."""
    client_system_transaction_id: str | None = None
    """The reference; None if it cannot be read."""
    complaint: str = field(repr=False)
    """Why it cannot be read; it quotes values as they came, so redact it before storing."""
    fingerprint: str
    """A hash of the fields that decide about money, as they came: the same each time the record is seen."""
    is_rest: bool = False
    """It stands for all elements after the first `MAX_RECORDS`, which were not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusAnswer:
    """The answer to a status query: the records, and the elements that could not be read as one."""

    records: tuple[StatusRecord, ...] = ()
    unreadable: tuple[UnreadableRecord, ...] = ()


def parse_records(value: object) -> StatusAnswer:
    """Read the array that answers a status query record by record; raises InvalidMessage for no array.

    Only the first `MAX_RECORDS` elements are read; all others together are one unreadable record.
    """
    if not isinstance(value, list | tuple):
        raise InvalidMessage([FieldError("", f"{quote(value)} is no list of status records")])
    records: list[StatusRecord] = []
    unreadable: list[UnreadableRecord] = []
    for element in value[:MAX_RECORDS]:
        try:
            records.append(_record(element))
        except InvalidMessage as error:
            source = element if isinstance(element, dict) else {}
            given = {fold_name(name): part for name, part in source.items()}
            # Not the whole record: other fields may differ from one answer to the next.
            seed = [given.get(name) for name in _DECISIVE] if given else element
            unreadable.append(
                UnreadableRecord(
                    id=_text_or_none(given.get("id")),
                    type=_text_or_none(given.get("type")),
                    client_system_transaction_id=_text_or_none(given.get("clientsystemtransactionid")),
                    complaint="; ".join(map(str, error.errors))[:_MAX_COMPLAINT_LENGTH],
                    fingerprint=hashlib.sha256(ascii(seed).encode()).hexdigest()[:16],
                )
            )
    if len(value) > MAX_RECORDS:
        unreadable.append(
            UnreadableRecord(
                complaint=f"the answer has more than {MAX_RECORDS} elements, and the others were not read",
                fingerprint="rest",
                is_rest=True,
            )
        )
    return StatusAnswer(records=tuple(records), unreadable=tuple(unreadable))


def _record(element: object) -> StatusRecord:
    if collision := next(collisions(element), None):
        raise InvalidMessage([FieldError("", str(collision))])
    if names_a_fault(element):
        raise InvalidMessage([FieldError("", "it carries an error")])
    try:
        return StatusRecord.from_wire(element)
    except InvalidMessage as error:
        faulty = {fold_name(fault.path) for fault in error.errors}
        if not isinstance(element, dict) or not faulty <= {"id", "currencycode", "transactionamount"}:
            raise
        # A record that is not approved is read without these three; an approved one is refused.
        with suppress(InvalidMessage):
            return StatusRecord.from_wire({k: v for k, v in element.items() if fold_name(k) not in faulty})
        raise


_DECISIVE = ("id", "state", "type", "transactionamount", "currencycode", "clientsystemtransactionid")
"""The case-folded names of the fields that decide about money."""


def _text_or_none(value: object) -> str | None:
    if not isinstance(value, str) or isinstance(value, Collision) or _HALF_PAIR.search(value):
        return None
    return str(value) if value.strip() else None


def read_timestamp(text: str) -> datetime:
    """Read a time as UTC, to the microsecond; a time without zone is in UTC. Raises InvalidTime.

    Records carry a "timestamp with fractional seconds of seven digits and no zone designator", such as
    ``2024-05-01T10:00:00.1234567``.
    """
    try:
        if not _TIMESTAMP.fullmatch(text):
            raise ValueError(text)
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidTime(
            f"{quote(text)} is no time; give one such as 2024-05-01T10:00:00.1234567"
        ) from error


def write_timestamp(moment: datetime) -> str:
    """Write an aware time as records carry it: UTC, seven digits of fraction, no zone."""
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}0"
