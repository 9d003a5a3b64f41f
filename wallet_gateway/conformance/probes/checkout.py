"""Probes of the checkout request and its response, without addresses and cart. Nobody pays any of them."""

from __future__ import annotations

from wallet_gateway.conformance import messages
from wallet_gateway.conformance.answers import member
from wallet_gateway.conformance.gateway import PREAUTHORIZATION, Gateway
from wallet_gateway.conformance.messages import changed, number, without
from wallet_gateway.conformance.registry import probe
from wallet_gateway.conformance.results import Failed, Skipped, as_documented
from wallet_gateway.conformance.schemas import fields, mandatory
from wallet_gateway.conformance.target import is_loopback
from wallet_gateway.conformance.wire import split_url

_REQUEST = "Checkout request"
_AMOUNTS = "General conventions"
_TEXTS = ("merchantId", "currencyCode", "clientSystemTransactionId", "checkoutDetails.paymentMethod")
_NO_AMOUNTS = {
    "letters": "ten",
    "empty": "",
    "negative": "-1.00",
    "two-periods": "1.0.0",
    "not-a-number": "NaN",
    "boolean": True,
    "object": {"value": "1.00"},
}
_NO_CURRENCIES = {"two-letters": "EU", "four-letters": "EURO", "unknown": "XQZ", "symbol": "€"}
_NO_PHONES = {"international": "+49 151 1", "no-hyphen": "4915112345678", "long-code": "1234-5678901"}


@probe("checkout.minimal", section=_REQUEST)
def mandatory_fields_are_enough(gateway: Gateway) -> None:
    """A checkout with the mandatory fields alone is accepted."""
    gateway.checkout_is_accepted(gateway.plain_checkout())


@probe("checkout.pre-authorization", section=_REQUEST)
def pre_authorization(gateway: Gateway) -> None:
    """A checkout of type ecom.preAuthorization is accepted."""
    gateway.checkout_is_accepted(gateway.plain_checkout(PREAUTHORIZATION))


@probe("checkout.full", section=_REQUEST)
def every_field(gateway: Gateway) -> None:
    """A checkout with the fields of all tables is accepted."""
    gateway.checkout_is_accepted(gateway.full_checkout())


@probe("checkout.example", section=_REQUEST)
def example(gateway: Gateway) -> None:
    """The document's example, with totaltaxAmount, storeCredit and two undescribed fields, is accepted."""
    gateway.full_checkout()
    gateway.checkout_is_accepted(messages.checkout_example(gateway.account, gateway.reference()))


@probe("checkout.response.{}", fields("checkout_response"), section="Checkout response")
def response(gateway: Gateway, name: str) -> None:
    """The response has {}, a URL."""
    answer = gateway.checkout(gateway.plain_checkout())
    if not answer.is_success:
        raise Skipped(f"there is no response: {answer}")
    as_documented("checkout_response", name, answer.value)


@probe("checkout.page", section="What the service does")
def page(gateway: Gateway) -> None:
    """The redirectUrl leads to a page of this checkout."""
    url = member(gateway.checkout(gateway.plain_checkout()).value, "redirectUrl")
    if not isinstance(url, str):
        raise Skipped("there is no redirectUrl")
    parts = split_url(url)
    if parts is None:
        raise Failed(f"{url!r} is no web address")
    if parts.scheme != "https" and not is_loopback(parts.hostname or ""):
        raise Failed(f"the page is not served with https: {parts.scheme}://{parts.netloc}")
    answer = gateway.wire.fetch(url)
    if answer.status >= 400:
        raise Failed(f"the page answers {answer}")


@probe("checkout.mandatory.{}", mandatory("checkout_request"), section=_REQUEST)
def without_a_mandatory_field(gateway: Gateway, path: str) -> None:
    """A checkout without {} is refused."""
    gateway.checkout_is_refused(without(gateway.plain_checkout(), path))


@probe("checkout.text.{}", _TEXTS, section=_REQUEST)
def an_object_is_no_text(gateway: Gateway, path: str) -> None:
    """A checkout whose {} is an object is refused, as it is a String."""
    gateway.checkout_is_refused(changed(gateway.plain_checkout(), path, {"value": "x"}))


@probe("checkout.type.unknown", section=_REQUEST)
def an_unknown_type(gateway: Gateway) -> None:
    """A checkout of an unknown type is refused."""
    gateway.checkout_is_refused(gateway.plain_checkout("ecom.nothing"))


@probe("checkout.provider.other", section=_REQUEST)
def another_provider(gateway: Gateway) -> None:
    """A checkout with another paymentMethod than the constant is refused."""
    body = changed(gateway.plain_checkout(), "checkoutDetails.paymentMethod", "NoWalletV2")
    gateway.checkout_is_refused(body)


@probe("checkout.amount.number", section=_AMOUNTS)
def an_amount_as_a_number(gateway: Gateway) -> None:
    """An amount that is a JSON number is accepted: "tolerant parsing of both string and number"."""
    body = gateway.plain_checkout()
    gateway.checkout_is_accepted(body | {"amount": number(body["amount"])})


@probe("checkout.amount.comma", section=_AMOUNTS)
def a_comma(gateway: Gateway) -> None:
    """An amount with a comma is refused: "reject comma separators"."""
    gateway.checkout_is_refused(gateway.plain_checkout() | {"amount": "1,00"})


@probe("checkout.amount.thousands", section=_AMOUNTS)
def a_separator_of_thousands(gateway: Gateway) -> None:
    """An amount with a separator of thousands is refused: "reject comma separators"."""
    gateway.checkout_is_refused(gateway.plain_checkout() | {"amount": "1,000.00"})


@probe("checkout.amount.{}", _NO_AMOUNTS, section=_REQUEST)
def no_amount(gateway: Gateway, name: str) -> None:
    """A value that is not an amount ({}) is refused."""
    gateway.checkout_is_refused(gateway.plain_checkout() | {"amount": _NO_AMOUNTS[name]})


@probe("checkout.currency.{}", _NO_CURRENCIES, section=_REQUEST)
def no_currency(gateway: Gateway, name: str) -> None:
    """A currency that is no code of ISO 4217 ({}) is refused."""
    gateway.checkout_is_refused(gateway.plain_checkout() | {"currencyCode": _NO_CURRENCIES[name]})


@probe("checkout.timeout.{}", ("0", "900"), section="Limits")
def a_timeout(gateway: Gateway, seconds: str) -> None:
    """A redirectUrlTimeout of {} is accepted."""
    gateway.checkout_is_accepted(_with_timeout(gateway, int(seconds)))


@probe("checkout.timeout.{}", ("-1", "901"), section="Limits")
def a_timeout_beyond_the_limits(gateway: Gateway, seconds: str) -> None:
    """A redirectUrlTimeout of {} is refused: "0 to 900 seconds"."""
    gateway.checkout_is_refused(_with_timeout(gateway, int(seconds)))


@probe("checkout.timeout.fraction", section=_REQUEST)
def a_timeout_of_a_fraction(gateway: Gateway) -> None:
    """A redirectUrlTimeout that is no Int32 is refused."""
    gateway.checkout_is_refused(_with_timeout(gateway, 60.5))


def _with_timeout(gateway: Gateway, seconds: float) -> messages.Body:
    return changed(gateway.plain_checkout(), "checkoutDetails.redirectUrlTimeout", seconds)


@probe("checkout.phone", section=_REQUEST)
def a_mobile_number(gateway: Gateway) -> None:
    """A cardholderMobilePhone of calling code, hyphen and number is accepted."""
    gateway.checkout_is_accepted(_with_phone(gateway, "49-15112345678"))


@probe("checkout.phone.{}", _NO_PHONES, section=_REQUEST)
def no_mobile_number(gateway: Gateway, name: str) -> None:
    """A cardholderMobilePhone of another format ({}) is refused."""
    gateway.checkout_is_refused(_with_phone(gateway, _NO_PHONES[name]))


def _with_phone(gateway: Gateway, phone: str) -> messages.Body:
    return changed(gateway.plain_checkout(), "checkoutDetails.cardholderMobilePhone", phone)


@probe("checkout.same-urls", section="redirectDetails")
def urls_that_are_not_applicable(gateway: Gateway) -> None:
    """CancelUrl and refusedUrl may have the same value as errorUrl."""
    body = gateway.plain_checkout()
    for name in ("cancelUrl", "refusedUrl"):
        body = changed(body, f"redirectDetails.{name}", body["redirectDetails"]["errorUrl"])
    gateway.checkout_is_accepted(body)
