"""Probes of the two addresses of a checkout request."""

from __future__ import annotations

from wallet_gateway.conformance.gateway import Gateway
from wallet_gateway.conformance.messages import BILLING_ADDRESS, Body, changed, without
from wallet_gateway.conformance.registry import probe
from wallet_gateway.conformance.schemas import mandatory

_SECTION = "addressDetails"
_BILLING = "addressDetails.billingAddress"
_SHIPPING = "addressDetails.shippingAddress"
_NO_COUNTRIES = {"two-letters": "DE", "unknown": "QQQ", "name": "Germany"}
_NO_STATES = {"name": "Bavaria", "no-country": "BY", "unknown": "DE-QQ"}


def _with_billing(gateway: Gateway) -> Body:
    return changed(gateway.plain_checkout(), _BILLING, BILLING_ADDRESS)


@probe("addresses.billing", section=_SECTION)
def a_billing_address(gateway: Gateway) -> None:
    """A billing address with all its fields is accepted."""
    gateway.checkout_is_accepted(_with_billing(gateway))


@probe("addresses.billing.no-state", section=_SECTION)
def a_billing_address_without_state(gateway: Gateway) -> None:
    """The state of a billing address is optional."""
    gateway.checkout_is_accepted(without(_with_billing(gateway), f"{_BILLING}.state"))


@probe("addresses.billing.mandatory.{}", mandatory("checkout_request", _BILLING), section=_SECTION)
def a_billing_address_without_a_mandatory_field(gateway: Gateway, name: str) -> None:
    """A billing address without {} is refused."""
    gateway.checkout_is_refused(without(_with_billing(gateway), f"{_BILLING}.{name}"))


@probe("addresses.billing.country.{}", _NO_COUNTRIES, section=_SECTION)
def no_billing_country(gateway: Gateway, name: str) -> None:
    """A countryCode of a billing address that is not ISO 3166 alpha-3 ({}) is refused."""
    body = changed(_with_billing(gateway), f"{_BILLING}.countryCode", _NO_COUNTRIES[name])
    gateway.checkout_is_refused(without(body, f"{_BILLING}.state"))


@probe("addresses.billing.state.{}", _NO_STATES, section=_SECTION)
def no_billing_state(gateway: Gateway, name: str) -> None:
    """A state of a billing address that is not ISO 3166-2 ({}) is refused."""
    gateway.checkout_is_refused(changed(_with_billing(gateway), f"{_BILLING}.state", _NO_STATES[name]))


@probe("addresses.shipping.nothing", section=_SECTION)
def an_empty_shipping_address(gateway: Gateway) -> None:
    """A shipping address without any field is accepted, as all are optional."""
    gateway.checkout_is_accepted(changed(gateway.plain_checkout(), _SHIPPING, {}))


@probe("addresses.shipping.name", section=_SECTION)
def a_part_of_a_shipping_address(gateway: Gateway) -> None:
    """A shipping address of a first name alone is accepted."""
    gateway.checkout_is_accepted(changed(gateway.plain_checkout(), _SHIPPING, {"firstName": "Max"}))


@probe("addresses.shipping.country.{}", _NO_COUNTRIES, section=_SECTION)
def no_shipping_country(gateway: Gateway, name: str) -> None:
    """A countryCode of a shipping address that is not ISO 3166 alpha-3 ({}) is refused."""
    address = {"countryCode": _NO_COUNTRIES[name]}
    gateway.checkout_is_refused(changed(gateway.plain_checkout(), _SHIPPING, address))


@probe("addresses.shipping.state.{}", _NO_STATES, section=_SECTION)
def no_shipping_state(gateway: Gateway, name: str) -> None:
    """A state of a shipping address that is not ISO 3166-2 ({}) is refused."""
    address = {"state": _NO_STATES[name]}
    gateway.checkout_is_refused(changed(gateway.plain_checkout(), _SHIPPING, address))
