"""Probes of the status query: its parameters, and each member of its records."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from wallet_gateway.conformance.answers import MISSING, has, member
from wallet_gateway.conformance.gateway import CAPTURE, REFUND, Gateway, Payment, type_of
from wallet_gateway.conformance.registry import probe
from wallet_gateway.conformance.results import (
    Failed,
    Skipped,
    accepted,
    as_documented,
    refused,
    says,
    text_of,
)
from wallet_gateway.conformance.schemas import fields

_SECTION = "Transaction status record"
_PARAMETERS = ("merchantId", "storeId", "clientSystemTransactionId")
_FIELDS = fields("status_records")
_DETAILS = [path for path in _FIELDS if path.startswith("apmDetails.")]
_BASIC = _DETAILS[:4]
"""The four members of apmDetails that every record has; the others are those of a pre-authorisation."""
_PAYER = _BASIC[1:]


def _sale(gateway: Gateway) -> dict[str, object]:
    return gateway.record(gateway.paid_sale())


def _authorization(gateway: Gateway) -> dict[str, object]:
    return gateway.record(gateway.authorization())


@probe("status.array", section=_SECTION)
def an_array(gateway: Gateway) -> None:
    """The query answers an array of records, of one record too."""
    _sale(gateway)
    answer = gateway.status(gateway.paid_sale().reference)
    if not isinstance(answer.value, list):
        raise Failed(f"it is no array: {answer}")


@probe("status.mandatory.{}", _PARAMETERS, section="Endpoints")
def without_a_mandatory_parameter(gateway: Gateway, name: str) -> None:
    """A query without {} is refused."""
    _sale(gateway)
    refused(gateway.status(gateway.paid_sale().reference, **{name: None}))


@probe("status.identification.{}", _PARAMETERS[:2], section="Authentication")
def of_another_merchant(gateway: Gateway, name: str) -> None:
    """A query with another {} does not tell of the payment: "identification is by the fields"."""
    _sale(gateway)
    answer = gateway.status(gateway.paid_sale().reference, **{name: "NOBODY"})
    if not answer.is_refusal and answer.records:
        raise Failed(f"it tells of the payment: {answer}")


@probe("status.record.{}", [path for path in _FIELDS if "." not in path], section=_SECTION)
def a_member(gateway: Gateway, name: str) -> None:
    """A record has {} as its table says."""
    as_documented("status_records", name, _sale(gateway))


@probe("status.record.{}", _BASIC, section=_SECTION)
def a_member_of_the_details(gateway: Gateway, path: str) -> None:
    """A record has {}, a String."""
    record = _sale(gateway)
    _has_details(record)
    as_documented("status_records", path, record)
    if member(record, path) is None:
        raise Failed(f"{path} is null, though the payment is no errored follow-up")


@probe("status.record.amount", section=_SECTION)
def the_amount(gateway: Gateway) -> None:
    """The transactionAmount is the amount that was paid, in the same unit."""
    found = member(_sale(gateway), "transactionAmount")
    if found is MISSING:
        raise Skipped("there is no transactionAmount")
    try:
        amount = Decimal(str(found))
    except InvalidOperation:
        raise Skipped("transactionAmount is no number") from None
    if amount != Decimal(gateway.account.amount):
        raise Failed(f"it is {amount}, and {gateway.account.amount} was paid")


@probe("status.record.reference", section=_SECTION)
def the_reference(gateway: Gateway) -> None:
    """The record carries the reference that was asked for."""
    says(_sale(gateway), "clientSystemTransactionId", gateway.paid_sale().reference)


@probe("status.record.currency", section=_SECTION)
def the_currency(gateway: Gateway) -> None:
    """The record carries the currency of the payment."""
    says(_sale(gateway), "currencyCode", gateway.account.currency)


@probe("status.record.approved", section="States and transitions")
def the_state(gateway: Gateway) -> None:
    """The record of a successful payment is Approved."""
    says(_sale(gateway), "state", "Approved")


@probe("status.record.type.sale", section=_SECTION)
def the_type_of_a_sale(gateway: Gateway) -> None:
    """The record of a sale has the type of its request."""
    found, wanted = text_of(_sale(gateway), "type"), gateway.paid_sale().type
    if found.casefold() != wanted.casefold():
        raise Failed(f"type is {found!r}, not {wanted!r}")


@probe("status.record.type.capture", section=_SECTION)
def the_type_of_a_capture(gateway: Gateway) -> None:
    """The record of a capture has the type ecom.capture, under its own reference or its original's."""
    body, _ = gateway.answered(CAPTURE)
    answers = gateway.records_of(body)
    if not any(type_of(record) == CAPTURE for answer in answers for record in answer.records):
        raise Failed(f"no record has it: {answers[0]} and {answers[1]}")


@probe("status.record.ids", section=_SECTION)
def ids(gateway: Gateway) -> None:
    """Records of one payment differ in their id."""
    body, _ = gateway.answered(REFUND)
    records = [record for answer in gateway.records_of(body) for record in answer.records]
    found = {type_of(record): member(record, "id") for record in records}
    if len(found) > 1 and len(set(map(str, found.values()))) == 1:
        raise Failed("a payment and its refund have the same id")


@probe("status.pre-authorization.details", section=_SECTION)
def details_of_a_pre_authorization(gateway: Gateway) -> None:
    """What a pre-authorisation tells of payer and addresses is all text."""
    record = _authorization(gateway)
    _has_details(record)
    for path in _DETAILS[4:]:
        as_documented("status_records", path, record)


@probe("status.pre-authorization.shipping", section=_SECTION)
def shipping_of_a_pre_authorization(gateway: Gateway) -> None:
    """Shipping information is returned for a pre-authorisation."""
    record = _authorization(gateway)
    _has_details(record)
    names = [path for path in _DETAILS if "shipping" in path.casefold()]
    if not any(has(record, path) for path in names):
        raise Failed("the record has none of its members")


@probe("status.errored", section=_SECTION)
def an_errored_follow_up(gateway: Gateway) -> None:
    """Of an errored follow-up the payer fields and the provider's transaction id are null."""
    gateway.answered(REFUND)
    gateway.controls().fault("refund", "errored")
    body = gateway.follow_up_body(REFUND, gateway.paid_sale())
    accepted(gateway.follow_up(body))
    record = gateway.record(Payment(body["clientSystemTransactionId"], REFUND))
    _has_details(record)
    for path in _PAYER:
        if has(record, path):
            raise Failed(f"{path} is not null")


@probe("status.errored.state", section="States and transitions")
def the_state_of_an_errored_follow_up(gateway: Gateway) -> None:
    """An unsuccessful follow-up is Errored."""
    gateway.answered(REFUND)
    gateway.controls().fault("refund", "errored")
    answer = gateway.follow_up(gateway.follow_up_body(REFUND, gateway.paid_sale()))
    says(accepted(answer).value, "state", "Errored")


def _has_details(record: dict[str, object]) -> None:
    if not isinstance(member(record, "apmDetails"), dict):
        raise Skipped("there are no apmDetails")
