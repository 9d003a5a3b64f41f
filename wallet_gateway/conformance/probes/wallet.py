"""Probes of the wallet button's server side, as far as the document says something of it."""

from __future__ import annotations

from collections.abc import Callable

from wallet_gateway.conformance.answers import MISSING, member
from wallet_gateway.conformance.gateway import SALE, Gateway
from wallet_gateway.conformance.messages import Body, changed, without
from wallet_gateway.conformance.registry import probe
from wallet_gateway.conformance.results import Failed, Skipped, accepted, as_documented, equal, refused, says
from wallet_gateway.conformance.schemas import fields, mandatory
from wallet_gateway.conformance.wallet_flow import PLAIN, TOKENIZED, WalletFlow

_EVENTS = "Events"
_ACCOUNT = "Payment account (digital wallet flow)"
_SCRIPT = "Browser script interface"
_PROOF = ("cryptogram", "eciIndicator")
_NETWORKS = ("VISA", "MASTERCARD", "AMEX", "DISCOVER", "JCB")
_FALSE_KEYS = {"no-key": {}, "false-key": {"Authorization": "PublicApiKey nobody"}}
_AUTHORIZATIONS = ("ecom.sale", "ecom.preauthorization")
_TOKEN = "paymentMethodData.tokenizationData.token"  # noqa: S105  (where it stands)
_ALWAYS = [path for path in mandatory("payment_data") if path != _TOKEN]


# Keys


@probe("wallet.keys.{}", fields("public_keys"), section="Authentication")
def keys(gateway: Gateway, name: str) -> None:
    """The public key service returns {}."""
    as_documented("public_keys", name, accepted(WalletFlow(gateway).keys()).value)


@probe("wallet.account.create.{}", _FALSE_KEYS, section="Authentication")
def create_without_key(gateway: Gateway, name: str) -> None:
    """A payment account is not created with {}."""
    flow = WalletFlow(gateway)
    flow.result()
    refused(flow.create(flow.payment_data(), headers=_FALSE_KEYS[name]))


@probe("wallet.account.get.{}", _FALSE_KEYS, section="Authentication")
def look_up_without_key(gateway: Gateway, name: str) -> None:
    """A payment account is not told with {}."""
    refused(WalletFlow(gateway).look_up(headers=_FALSE_KEYS[name]))


@probe("wallet.authorization.{}", _FALSE_KEYS, section="Authentication")
def authorize_without_key(gateway: Gateway, name: str) -> None:
    """A payment is not authorized with {}."""
    refused(WalletFlow(gateway).authorize(headers=_FALSE_KEYS[name]))


# The result of a new account


@probe("wallet.result.{}", mandatory("wallet_result"), section=_EVENTS)
def result(gateway: Gateway, name: str) -> None:
    """The result of a new account has {}."""
    as_documented("wallet_result", name, WalletFlow(gateway).result()[1].value)


@probe("wallet.result.echo", section=_EVENTS)
def echo(gateway: Gateway) -> None:
    """The result repeats the reference."""
    reference, answer = WalletFlow(gateway).result()
    says(answer.value, "clientSystemTransactionId", reference)


@probe("wallet.result.tokenized.{}", _PROOF, section=_EVENTS)
def proof_of_a_tokenized_card(gateway: Gateway, name: str) -> None:
    """The result of a tokenized card has {}."""
    if not isinstance(member(WalletFlow(gateway).result(TOKENIZED)[1].value, name), str):
        raise Failed(f"{name} is left out")


@probe("wallet.result.plain.{}", _PROOF, section=_EVENTS)
def no_proof_of_a_plain_card(gateway: Gateway, name: str) -> None:
    """The result of an un-tokenized card has no {}."""
    if isinstance(member(WalletFlow(gateway).result(PLAIN)[1].value, name), str):
        raise Failed(f"{name} is there")


@probe("wallet.result.nulls", section=_EVENTS)
def null_properties_are_omitted(gateway: Gateway) -> None:
    """Properties that would be null are omitted."""
    value = WalletFlow(gateway).result(PLAIN)[1].value
    found = [name for name, part in value.items() if part is None] if isinstance(value, dict) else []
    if found:
        raise Failed(f"{', '.join(found)}: null")


@probe("wallet.result.extensive.{}", ("email", "shippingAddress", "billingAddress"), section=_EVENTS)
def extensive_result(gateway: Gateway, name: str) -> None:
    """An extensive request adds {} to the result."""
    flow = WalletFlow(gateway)
    flow.result()
    billing = {"billingAddressRequired": True, "billingAddressParameters": {"format": "FULL"}}
    data = flow.payment_data(
        emailRequired=True, shippingAddressRequired=True, allowedPaymentMethods=[{"parameters": billing}]
    )
    answer = accepted(flow.create(data))
    as_documented("wallet_result", name, answer.value)
    if member(answer.value, name) is MISSING:
        raise Failed(f"{name} is left out")


# What the wallet gives


def _is_refused(gateway: Gateway, change: Callable[[Body], Body]) -> None:
    """Fail unless changed PaymentData are refused, which says nothing if all are."""
    flow = WalletFlow(gateway)
    flow.result()
    refused(flow.create(change(flow.payment_data())))


@probe("wallet.payment-data.token", section="Errors")
def no_token(gateway: Gateway) -> None:
    """PaymentData without its token are refused with the code 4000340."""
    flow = WalletFlow(gateway)
    answer = refused(flow.create(without(flow.payment_data(), _TOKEN)))
    if not answer.is_error:
        raise Skipped(f"there is no error body: {answer}")
    equal("code", str(member(answer.value, "code")), "4000340")


@probe("wallet.payment-data.description", section=_EVENTS)
def description_of_a_failure(gateway: Gateway) -> None:
    """A failed result has a description, the name of a general validation error."""
    flow = WalletFlow(gateway)
    answer = flow.create(without(flow.payment_data(), _TOKEN))
    if not answer.is_error:
        raise Skipped(f"there is no failed result: {answer}")
    if not isinstance(member(answer.value, "description"), str):
        raise Failed("description is left out")


@probe("wallet.payment-data.{}", _ALWAYS, section=_SCRIPT)
def incomplete_payment_data(gateway: Gateway, path: str) -> None:
    """PaymentData without {} are refused, as a wallet always gives it."""
    _is_refused(gateway, lambda data: without(data, path))


@probe("wallet.payment-data.tokenization", section=_SCRIPT)
def another_tokenization(gateway: Gateway) -> None:
    """PaymentData tokenized in another way than PAYMENT_GATEWAY are refused."""
    _is_refused(gateway, lambda data: changed(data, "paymentMethodData.tokenizationData.type", "DIRECT"))


@probe("wallet.network.{}", _NETWORKS, section="Limits")
def a_network(gateway: Gateway, network: str) -> None:
    """A card of {} is accepted."""
    flow = WalletFlow(gateway)
    accepted(flow.create(flow.payment_data(network=network)))


@probe("wallet.network.INTERAC", section="Limits")
def another_network(gateway: Gateway) -> None:
    """A card of a network that is not listed is refused."""
    _is_refused(gateway, lambda data: changed(data, "paymentMethodData.info.cardNetwork", "INTERAC"))


# The account


@probe("wallet.account.{}", fields("payment_account"), section=_ACCOUNT)
def account(gateway: Gateway, name: str) -> None:
    """A payment account has {}, Card or Token."""
    as_documented("payment_account", name, accepted(WalletFlow(gateway).look_up()).value)


@probe("wallet.account.kind.{}", (PLAIN, TOKENIZED), section=_ACCOUNT)
def kind_of_card(gateway: Gateway, method: str) -> None:
    """The cardType of a {} card is Card for PAN_ONLY, Token for a tokenized one."""
    answer = WalletFlow(gateway).look_up(method)
    found = member(answer.value, "cardType")
    if found not in ("Card", "Token"):
        raise Skipped(f"there is no cardType: {answer}")
    equal("cardType", found, "Card" if method == PLAIN else "Token")


@probe("wallet.account.get.mandatory.{}", ("merchantId", "storeId", "encryptionKeyId"), section="Endpoints")
def without_an_input(gateway: Gateway, name: str) -> None:
    """A payment account is not told without {}."""
    refused(WalletFlow(gateway).look_up(leave_out=name))


# Authorizations


@probe("wallet.authorization.{}", _AUTHORIZATIONS, section="Limits")
def an_authorization(gateway: Gateway, type_: str) -> None:
    """A tokenized card pays by the method {}, with its cryptogram and eci."""
    answer = accepted(WalletFlow(gateway).authorize(type_=type_))
    equal("state", member(answer.value, "state"), "Approved")


@probe("wallet.authorization.cryptogram", section="Endpoints")
def without_cryptogram(gateway: Gateway) -> None:
    """A tokenized card does not pay without its cryptogram."""
    refused(WalletFlow(gateway).authorize(type_=SALE, with_proof=False))


@probe("wallet.authorization.3ds", section="Endpoints")
def without_three_d_secure(gateway: Gateway) -> None:
    """An un-tokenized card does not pay without 3-D Secure."""
    answer = WalletFlow(gateway).authorize(PLAIN)
    if answer.is_success and member(answer.value, "state") != "Approved":
        return
    refused(answer)
