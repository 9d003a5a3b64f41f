"""The status query and the records it answers with: the interface, section Transaction status record."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema, field_validator

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.errors import FieldError, InvalidMessage, InvalidTime, excerpt
from wallet_gateway.protocol.fields import Amount, CurrencyCode, Identifier, OptionalText, Text, WireModel
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.strict_json import NumberText

_TIMESTAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?"
)
JsonNumber = Annotated[Amount, WithJsonSchema({"type": "number", "minimum": 0})]
"""An amount that is a number on the wire."""


class StatusQuery(WireModel):
    """The three query parameters of GET apmTransactions, all mandatory."""

    merchant_id: Identifier
    store_id: Identifier
    client_system_transaction_id: Identifier


class RecordedBillingAddress(WireModel):
    """The billing address as the provider reports it: any text, for it is not ours to judge."""

    house_number: OptionalText | None = None
    street: OptionalText | None = None
    city: OptionalText | None = None
    zip_postal_code: OptionalText | None = None
    state: OptionalText | None = None
    country_code: OptionalText | None = None

    is_answer = True


class RecordedShippingAddress(RecordedBillingAddress):
    """The shipping address as the provider reports it."""

    first_name: OptionalText | None = None
    last_name: OptionalText | None = None
    telephone_number: OptionalText | None = None
    email: OptionalText | None = None


class RecordedApmDetails(WireModel):
    """What the provider says of the payer: more for a pre-authorisation, nothing for an errored follow-up."""

    apm_name: OptionalText | None = None
    apm_payer_account_number: OptionalText | None = None
    apm_payer_email_address: OptionalText | None = None
    apm_provider_transaction_id: OptionalText | None = None
    apm_payer_shipping_name: OptionalText | None = None
    apm_payer_shipping_street1: OptionalText | None = None
    apm_payer_shipping_city_name: OptionalText | None = None
    apm_payer_shipping_postal_code: OptionalText | None = None
    apm_payer_shipping_country: OptionalText | None = None
    apm_payer_shipping_phone: OptionalText | None = None
    apm_payer_id: OptionalText | None = Field(default=None, alias="apmPayerID")
    apm_payer_firstname: OptionalText | None = None
    apm_payer_lastname: OptionalText | None = None
    apm_payer_billing_name: OptionalText | None = None
    apm_payer_billing_street1: OptionalText | None = None
    apm_payer_billing_city_name: OptionalText | None = None
    apm_payer_billing_country: OptionalText | None = None
    apm_payer_billing_phone: OptionalText | None = None
    apm_payer_billing_postal_code: OptionalText | None = None
    apm_payer_country_code: OptionalText | None = None
    apm_payer_state_or_province: OptionalText | None = None
    billing_address: RecordedBillingAddress | None = None
    shipping_address: RecordedShippingAddress | None = None

    is_answer = True


class StatusRecord(WireModel):
    """One transaction as the service knows it; ``transactionAmount`` is a number on the wire, text here."""

    id: Text
    state: Text
    currency_code: CurrencyCode
    transaction_amount: JsonNumber
    client_system_transaction_id: Identifier
    type: Text
    transaction_date_time: Text
    apm_details: RecordedApmDetails | None = None

    is_answer = True

    @property
    def money(self) -> Money:
        """The amount with its currency."""
        return Money.parse(self.transaction_amount, self.currency_code, allow_zero=True)

    @property
    def transacted_at(self) -> datetime:
        """The time of the transaction in UTC, to the microsecond; the raw text is kept beside it."""
        return read_timestamp(self.transaction_date_time)

    def to_wire(self) -> dict[str, Any]:
        """The record as JSON values; the amount is a NumberText, which is written as a number."""
        values = super().to_wire()
        values["transactionAmount"] = NumberText(self.transaction_amount)
        return values

    def to_json(self) -> bytes:
        """The record as bytes; the same record always gives the same bytes."""
        return strict_json.dumps(self.to_wire())

    @field_validator("transaction_date_time")
    @classmethod
    def _is_a_time(cls, text: str) -> str:
        read_timestamp(text)
        return text


def parse_records(value: object) -> tuple[StatusRecord, ...]:
    """Read the array a status query answers with; raises InvalidMessage, paths beginning with ``[0]``."""
    if not isinstance(value, list | tuple):
        raise InvalidMessage([FieldError("", f"{excerpt(value)} is no list of status records")])
    records: list[StatusRecord] = []
    errors: list[FieldError] = []
    for index, element in enumerate(value):
        try:
            records.append(_record(element))
        except InvalidMessage as error:
            errors += (fault.under(f"[{index}]") for fault in error.errors)
    if errors:
        raise InvalidMessage(errors)
    return tuple(records)


def _record(element: object) -> StatusRecord:
    if not isinstance(element, dict):
        raise InvalidMessage([FieldError("", f"{excerpt(element)} is no status record")])
    return StatusRecord.from_wire(element)


def read_timestamp(text: str) -> datetime:
    """Read a time to the microsecond as UTC, which one without zone is in; raises InvalidTime.

    Records carry ``2024-05-01T10:00:00.1234567``: seven digits of fraction, no zone.
    """
    try:
        if not _TIMESTAMP.fullmatch(text):
            raise ValueError(text)
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidTime(
            f"{excerpt(text)} is no time; give one such as 2024-05-01T10:00:00.1234567"
        ) from error


def write_timestamp(moment: datetime) -> str:
    """Write an aware time as records carry it: UTC, seven digits of fraction, no zone."""
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}0"
