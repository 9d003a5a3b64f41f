"""Probes of the status query: its parameters, and each member of its records."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from wallet_gateway.conformance.answers import MISSING, Answer, has, member
from wallet_gateway.conformance.expectations import accepted, as_documented, echoes, equal, refused
from wallet_gateway.conformance.gateway import CAPTURE, REFUND, Gateway, text_of
from wallet_gateway.conformance.registry import Area
from wallet_gateway.conformance.results import Failed, Skipped
from wallet_gateway.conformance.schemas import fields

area = Area("status")
_SECTION = "Transaction status record"
_PARAMETERS = ("merchantId", "storeId", "clientSystemTransactionId")
_FIELDS = fields("status_records")
_DETAILS = [path for path in _FIELDS if path.startswith("apmDetails.")]
_BASIC = _DETAILS[:4]
"""The four members of apmDetails that every record has; the others are those of a pre-authorisation."""
_PAYER = _BASIC[1:]


def _sale(gateway: Gateway) -> dict[str, object]:
    sale = gateway.paid_sale()
    return gateway.record(sale.reference, sale.type)


def _authorization(gateway: Gateway) -> dict[str, object]:
    authorization = gateway.authorization()
    return gateway.record(authorization.reference, authorization.type)


@area.probe("array", section=_SECTION, moves_money=True)
def an_array(gateway: Gateway) -> None:
    """The query answers an array of records, of one record too."""
    _sale(gateway)
    answer = gateway.status(gateway.paid_sale().reference)
    if not isinstance(answer.value, list):
        raise Failed(f"it is no array: {answer}")


@area.probe_each("mandatory.{}", _PARAMETERS, section="Endpoints", moves_money=True)
def without_a_mandatory_parameter(gateway: Gateway, name: str) -> None:
    """A query without {} is refused."""
    _sale(gateway)
    refused(gateway.status(gateway.paid_sale().reference, **{name: None}))


@area.probe_each("identification.{}", _PARAMETERS[:2], section="Authentication", moves_money=True)
def of_another_merchant(gateway: Gateway, name: str) -> None:
    """A query with another {} does not tell of the payment: "identification is by the fields"."""
    _sale(gateway)
    answer = gateway.status(gateway.paid_sale().reference, **{name: "NOBODY"})
    if not answer.is_refusal and answer.records:
        raise Failed(f"it tells of the payment: {answer}")


@area.probe_each(
    "record.{}", [path for path in _FIELDS if "." not in path], section=_SECTION, moves_money=True
)
def a_member(gateway: Gateway, name: str) -> None:
    """A record has {} as its table says."""
    as_documented("status_records", name, _sale(gateway))


@area.probe_each("record.{}", _BASIC, section=_SECTION, moves_money=True)
def a_member_of_the_details(gateway: Gateway, path: str) -> None:
    """A record has {}, a String."""
    record = _sale(gateway)
    _has_details(record)
    as_documented("status_records", path, record)
    if member(record, path) is None:
        raise Failed(f"{path} is null, though the payment is no errored follow-up")


@area.probe("record.amount", section=_SECTION, moves_money=True)
def the_amount(gateway: Gateway) -> None:
    """The transactionAmount is the amount that was paid, in the same unit."""
    found = member(_sale(gateway), "transactionAmount")
    if found is MISSING:
        raise Skipped("there is no transactionAmount")
    try:
        amount = Decimal(str(found))
    except InvalidOperation:
        raise Skipped("transactionAmount is no number") from None
    if amount != Decimal(gateway.paid_sale().amount):
        raise Failed(f"it is {amount}, and {gateway.paid_sale().amount} was paid")


@area.probe("record.reference", section=_SECTION, moves_money=True)
def the_reference(gateway: Gateway) -> None:
    """The record carries the reference that was asked for."""
    record = _sale(gateway)
    text_of(record, "clientSystemTransactionId")
    echoes(record, "clientSystemTransactionId", gateway.paid_sale().reference)


@area.probe("record.currency", section=_SECTION, moves_money=True)
def the_currency(gateway: Gateway) -> None:
    """The record carries the currency of the payment."""
    record = _sale(gateway)
    text_of(record, "currencyCode")
    echoes(record, "currencyCode", gateway.account.currency)


@area.probe("record.approved", section="States and transitions", moves_money=True)
def the_state(gateway: Gateway) -> None:
    """The record of a successful payment is Approved."""
    record = _sale(gateway)
    text_of(record, "state")
    echoes(record, "state", "Approved")


@area.probe("record.type.sale", section=_SECTION, moves_money=True)
def the_type_of_a_sale(gateway: Gateway) -> None:
    """The record of a sale has the type of its request."""
    _has_type(_sale(gateway), gateway.paid_sale().type)


@area.probe("record.type.capture", section=_SECTION, moves_money=True)
def the_type_of_a_capture(gateway: Gateway) -> None:
    """The record of a capture has the type ecom.capture, under its own reference or its original's."""
    body, _ = gateway.answered(CAPTURE)
    own, original = body["clientSystemTransactionId"], body["clientSystemInvoiceId"]
    answers = [gateway.status(reference) for reference in (own, original)]
    records = [record for answer in answers for record in answer.records]
    if not any(str(member(record, "type")).casefold() == CAPTURE for record in records):
        raise Failed(f"no record has it: {answers[0]} and {answers[1]}")


@area.probe("record.ids", section=_SECTION, moves_money=True)
def ids(gateway: Gateway) -> None:
    """Records of one payment differ in their id."""
    body, _ = gateway.answered(REFUND)
    references = (body["clientSystemTransactionId"], body["clientSystemInvoiceId"])
    found = {}
    for reference in references:
        for record in gateway.status(reference).records:
            found[str(member(record, "type")).casefold()] = member(record, "id")
    if len(found) > 1 and len(set(map(str, found.values()))) == 1:
        raise Failed("a payment and its refund have the same id")


@area.probe("pre-authorization.details", section=_SECTION, moves_money=True)
def details_of_a_pre_authorization(gateway: Gateway) -> None:
    """What a pre-authorisation tells of payer and addresses is all text."""
    record = _authorization(gateway)
    _has_details(record)
    for path in _DETAILS[4:]:
        as_documented("status_records", path, record)


@area.probe("pre-authorization.shipping", section=_SECTION, moves_money=True)
def shipping_of_a_pre_authorization(gateway: Gateway) -> None:
    """Shipping information is returned for a pre-authorisation."""
    record = _authorization(gateway)
    _has_details(record)
    names = [path for path in _DETAILS if "shipping" in path.casefold()]
    if not any(has(record, path) for path in names):
        raise Failed("the record has none of its members")


@area.probe("errored", section=_SECTION, moves_money=True)
def an_errored_follow_up(gateway: Gateway) -> None:
    """Of an errored follow-up the payer fields and the provider's transaction id are null."""
    gateway.answered(REFUND)
    gateway.controls().fault("refund", "errored")
    body = gateway.follow_up_body(REFUND, gateway.paid_sale())
    accepted(gateway.follow_up(body))
    record = gateway.record(body["clientSystemTransactionId"], REFUND)
    _has_details(record)
    for path in _PAYER:
        if has(record, path):
            raise Failed(f"{path} is not null")


@area.probe("errored.state", section="States and transitions", moves_money=True)
def the_state_of_an_errored_follow_up(gateway: Gateway) -> None:
    """An unsuccessful follow-up is Errored."""
    gateway.answered(REFUND)
    gateway.controls().fault("refund", "errored")
    answer = gateway.follow_up(gateway.follow_up_body(REFUND, gateway.paid_sale()))
    equal("state", _state(answer), "Errored")


def _state(answer: Answer) -> str:
    return text_of(accepted(answer).value, "state")


def _has_type(record: dict[str, object], wanted: str) -> None:
    found = text_of(record, "type")
    if found.casefold() != wanted.casefold():
        raise Failed(f"type is {found!r}, not {wanted!r}")


def _has_details(record: dict[str, object]) -> None:
    if not isinstance(member(record, "apmDetails"), dict):
        raise Skipped("there are no apmDetails")
