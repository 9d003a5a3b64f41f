"""Probes of capture, refund and reversal. They need paid checkouts, and move the smallest amounts."""

from __future__ import annotations

from wallet_gateway.conformance.answers import member
from wallet_gateway.conformance.gateway import CAPTURE, REFUND, REVERSAL, Gateway
from wallet_gateway.conformance.messages import Body, as_in_example, changed, number, without
from wallet_gateway.conformance.registry import probe
from wallet_gateway.conformance.results import Failed, Skipped, accepted, as_documented, equal, says, text_of
from wallet_gateway.conformance.schemas import fields, mandatory

_REQUEST = "Follow-up request"
_RESPONSE = "Follow-up response"
_TYPES = {"capture": CAPTURE, "refund": REFUND, "reversal": REVERSAL}
_MANDATORY = [*mandatory("follow_up_request"), "apmDetails.apmProvider"]


def _refund(gateway: Gateway) -> Body:
    return gateway.follow_up_body(REFUND, gateway.paid_sale())


@probe("follow-ups.{}", _TYPES, section=_REQUEST)
def a_follow_up(gateway: Gateway, name: str) -> None:
    """A {} of an approved payment is accepted."""
    gateway.done(_TYPES[name])


@probe("follow-ups.{}.state", _TYPES, section="States and transitions")
def state(gateway: Gateway, name: str) -> None:
    """A successful {} is Approved."""
    _, answer = gateway.answered(_TYPES[name])
    found = text_of(answer.value, "state")
    if found.casefold().startswith("pend"):
        raise Skipped(f"it is not decided yet: {found}")
    equal("state", found, "Approved")


@probe("follow-ups.response.{}", fields("follow_up_response"), section=_RESPONSE)
def response(gateway: Gateway, path: str) -> None:
    """The response has {} as its table says."""
    _, answer = gateway.answered(REFUND)
    as_documented("follow_up_response", path, answer.value)


@probe("follow-ups.response.echo.reference", section=_RESPONSE)
def echo_of_the_reference(gateway: Gateway) -> None:
    """The response repeats the follow-up's own reference, not the original's."""
    body, answer = gateway.answered(REFUND)
    says(answer.value, "clientSystemTransactionId", body["clientSystemTransactionId"])


@probe("follow-ups.response.echo.currency", section=_RESPONSE)
def echo_of_the_currency(gateway: Gateway) -> None:
    """The response repeats the currency."""
    body, answer = gateway.answered(REFUND)
    says(answer.value, "currencyCode", body["currencyCode"])


@probe("follow-ups.response.ids", section=_RESPONSE)
def ids_differ(gateway: Gateway) -> None:
    """A follow-up has an id of its own: records differ "in id and type"."""
    _, capture = gateway.answered(CAPTURE)
    record = gateway.record(gateway.authorization())
    if text_of(capture.value, "id") == member(record, "id"):
        raise Failed("the capture has the id of its original")


@probe("follow-ups.example", section=_REQUEST)
def example(gateway: Gateway) -> None:
    """The document's example is accepted: apmdetails, apmProviderName, a number, a cart in PascalCase."""
    gateway.answered(CAPTURE)
    body = gateway.follow_up_body(CAPTURE, gateway.authorization())
    accepted(gateway.follow_up(as_in_example("follow_up_request", body)))


@probe("follow-ups.amount.number", section="General conventions")
def an_amount_as_a_number(gateway: Gateway) -> None:
    """An amount that is a JSON number is accepted, as in the document's example."""
    gateway.answered(REFUND)
    body = _refund(gateway)
    accepted(gateway.follow_up(body | {"amount": number(body["amount"])}))


@probe("follow-ups.amount.comma", section="General conventions")
def a_comma(gateway: Gateway) -> None:
    """An amount with a comma is refused: "reject comma separators"."""
    body = _refund(gateway)
    if "." not in body["amount"]:
        raise Skipped("the currency has no decimals")
    gateway.follow_up_is_refused(body | {"amount": body["amount"].replace(".", ",")})


@probe("follow-ups.mandatory.{}", _MANDATORY, section=_REQUEST)
def without_a_mandatory_field(gateway: Gateway, path: str) -> None:
    """A refund without {} is refused."""
    gateway.follow_up_is_refused(without(_refund(gateway), path))


@probe("follow-ups.type.unknown", section=_REQUEST)
def an_unknown_type(gateway: Gateway) -> None:
    """A follow-up of an unknown type is refused."""
    gateway.follow_up_is_refused(_refund(gateway) | {"type": "ecom.nothing"})


@probe("follow-ups.provider.other", section=_REQUEST)
def another_provider(gateway: Gateway) -> None:
    """A refund with another apmProvider than the constant is refused."""
    gateway.follow_up_is_refused(changed(_refund(gateway), "apmDetails.apmProvider", "NoWalletV2"))


@probe("follow-ups.original.unknown", section=_REQUEST)
def an_unknown_original(gateway: Gateway) -> None:
    """A refund of an unknown original is refused."""
    gateway.follow_up_is_refused(_refund(gateway) | {"clientSystemInvoiceId": gateway.reference()})


@probe("follow-ups.cart.quantity", section="Limits")
def a_cart_with_a_wrong_quantity(gateway: Gateway) -> None:
    """The cart of a follow-up keeps the rules of a checkout's: a productQuantity of 0 is refused."""
    cart = gateway.full_checkout()["shoppingCartDetails"]
    wrong = changed({"cart": cart}, "cart.itemDetails.0.productQuantity", 0)["cart"]
    gateway.follow_up_is_refused(_refund(gateway) | {"shoppingCartDetails": wrong})
