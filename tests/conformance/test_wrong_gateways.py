"""One table: what is wrong about a gateway, and the probes that say so. Each probe is seen failing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.conformance.wrong_gateways import (
    Ask,
    Request,
    Wrong,
    answered,
    answering,
    approval,
    approving,
    failed,
    ignoring,
    numbering,
    of,
    reading,
    refusing,
    results_of,
    right,
    spoiling,
    spoiling_errors,
    spoiling_records,
    with_member,
    without_member,
)
from tests.support.tables import every
from wallet_gateway.conformance.answers import Answer
from wallet_gateway.conformance.probes import PROBES
from wallet_gateway.conformance.results import Outcome
from wallet_gateway.conformance.schemas import fields

CART, BILLING = "shoppingCartDetails", "addressDetails.billingAddress"
SHIPPING, DETAILS = "addressDetails.shippingAddress", "checkoutDetails"
METHOD = "paymentData.paymentMethodData"
SALE = "ecom.sale"
SCHEMA, LIMIT = "SchemaValidationError", "RefundAmountExceeded"


def _line(cart: dict[str, Any]) -> dict[str, Any]:
    line: dict[str, Any] = next(iter(cart.get("itemDetails", [])), {})
    return line


def _refusing_carts(when: Callable[[dict[str, Any]], bool]) -> Wrong:
    return refusing("checkout", lambda body: CART in body and when(body[CART]))


def _refusing_addresses(which: str, when: Callable[[dict[str, Any]], bool]) -> Wrong:
    def is_meant(body: dict[str, Any]) -> bool:
        addresses = body.get("addressDetails", {})
        return which in addresses and when(addresses[which])

    return refusing("checkout", is_meant)


def _is_example(body: dict[str, Any]) -> bool:
    return "totaltaxAmount" in body.get(CART, {})


def _is_number(body: dict[str, Any]) -> bool:
    return isinstance(body.get("amount"), float) and "apmdetails" not in body


def _not_a_text(value: object) -> bool:
    return not isinstance(value, float)


def _as_page(request: Request, ask: Ask) -> Answer:
    """Answers a refusal as a web page, as a server in front of the service would."""
    answer = ask(request)
    return replace(answer, content_type="text/html", body=b"<h1>No</h1>") if answer.is_error else answer


def _one_id(request: Request, ask: Ask) -> Answer:
    """Gives a payment, its captures and its refunds one id."""
    if request.operation == "status":
        return spoiling_records(with_member("id", "one"))(request, ask)
    return spoiling("refund", with_member("id", "one"))(
        request, lambda asked: spoiling("capture", with_member("id", "one"))(asked, ask)
    )


def _echoing_the_original(request: Request, ask: Ask) -> Answer:
    original = request.at("clientSystemInvoiceId")
    return spoiling("refund", with_member("clientSystemTransactionId", original))(request, ask)


def _refunding_what_was_never_paid() -> Wrong:
    known: set[object] = set()

    def wrong(request: Request, ask: Ask) -> Answer:
        if request.operation == "checkout":
            known.add(request.at("clientSystemTransactionId"))
        original = request.at("clientSystemInvoiceId")
        is_meant = request.operation == "refund" and original is not None and original not in known
        return answered(approval(request.body)) if is_meant else ask(request)

    return wrong


def _letting_in(operation: str, value: object) -> Wrong:
    """Answers callers without a key that it issued."""
    return answering(
        operation,
        lambda request: request.headers.get("Authorization", "") in ("", "PublicApiKey nobody"),
        lambda _: answered(value),
    )


def _telling_without(name: str) -> Wrong:
    """Tells an account without one of the inputs."""
    return answering(
        "get", lambda request: request.at(name) is None, lambda _: answered({"cardType": "Token"})
    )


def _only(is_tokenized: bool, change: Callable[[Any], Any]) -> Wrong:
    """Changes the results of tokenized cards only, or of the others."""
    return spoiling(
        "create", lambda value: change(value) if ("cryptogram" in value) == is_tokenized else value
    )


def _payer_of_errored(record: dict[str, Any]) -> dict[str, Any]:
    details = {**record["apmDetails"], "apmPayerAccountNumber": "EW-1"}
    return record | {"apmDetails": details} if record["state"] == "Errored" else record


def _without_shipping(record: dict[str, Any]) -> dict[str, Any]:
    details = {name: part for name, part in record["apmDetails"].items() if "hipping" not in name}
    return record | {"apmDetails": details}


def _with_time(change: Callable[[str], str]) -> Wrong:
    return spoiling_records(lambda one: one | {"transactionDateTime": change(one["transactionDateTime"])})


def _serving(
    script: bytes = b"runWalletPay()", content_type: str = "text/javascript", *, v: bool = True
) -> Wrong:
    def wrong(request: Request, ask: Ask) -> Answer:
        if request.body is not None or not request.operation.endswith("/wallet.js"):
            return ask(request)
        is_right = request.operation == "/wallet.js" and (v or not request.query)
        return Answer(200 if is_right else 404, content_type, script)

    return wrong


def _under(area: str, *names: str) -> str:
    return " ".join(f"{area}.{name}" for name in names)


REFUSED_CARTS = " ".join(
    probe.name for probe in PROBES if probe.name.startswith("cart.") and "refused" in probe.title
)
REFUSED_BILLING, REFUSED_SHIPPING = (
    " ".join(
        probe.name
        for probe in PROBES
        if probe.name.startswith(f"addresses.{which}.") and "refused" in probe.title
    )
    for which in ("billing", "shipping")
)
RESULT = {"clientSystemTransactionId": "x", "transactionAccountId": "y", "transactionMethod": "WalletPay"}
BOTH = ("checkout", "follow-up")
PAID_WITH_PROOF = ("authorization.ecom.sale", "authorization.ecom.preauthorization")
NO_AMOUNTS = (
    "comma",
    "thousands",
    "letters",
    "empty",
    "negative",
    "two-periods",
    "not-a-number",
    "boolean",
    "object",
)

CHECKOUTS: list[tuple[str, Wrong]] = [
    (
        "checkout.mandatory.merchantId errors.unknown.merchantId checkout.text.merchantId",
        reading("checkout", "merchantId", "SANDBOX-MERCHANT"),
    ),
    (
        "checkout.mandatory.type checkout.type.unknown",
        reading("checkout", "type", SALE, lambda value: value != "ecom.preAuthorization"),
    ),
    (
        f"checkout.mandatory.amount {_under('checkout.amount', *NO_AMOUNTS)}",
        reading("checkout", "amount", "1.00", _not_a_text),
    ),
    (
        "checkout.mandatory.currencyCode checkout.text.currencyCode "
        + _under("checkout.currency", "two-letters", "four-letters", "unknown", "symbol"),
        reading("checkout", "currencyCode", "EUR"),
    ),
    (
        "checkout.mandatory.clientSystemTransactionId checkout.text.clientSystemTransactionId",
        numbering("checkout"),
    ),
    (
        _under("checkout.mandatory", DETAILS, f"{DETAILS}.paymentMethod")
        + f" checkout.text.{DETAILS}.paymentMethod checkout.provider.other",
        reading("checkout", f"{DETAILS}.paymentMethod", "ExampleWalletV2"),
    ),
    (
        "checkout.mandatory.redirectDetails.refusedUrl",
        reading("checkout", "redirectDetails.refusedUrl", "https://shop.example/"),
    ),
    (
        _under("checkout.timeout", "-1", "901", "fraction"),
        ignoring(f"{DETAILS}.redirectUrlTimeout", lambda seconds: seconds not in (0, 900)),
    ),
    (
        "checkout.timeout.0",
        refusing("checkout", lambda body: body.get(DETAILS, {}).get("redirectUrlTimeout") == 0),
    ),
    (
        _under("checkout.phone", "international", "no-hyphen", "long-code"),
        ignoring(f"{DETAILS}.cardholderMobilePhone"),
    ),
    (
        "checkout.phone checkout.full checkout.example",
        refusing(
            "checkout", lambda body: body.get(DETAILS, {}).get("cardholderMobilePhone") == "49-15112345678"
        ),
    ),
    (
        "checkout.response.redirectUrl",
        spoiling("checkout", lambda value: {"redirect_url": value["redirectUrl"]}),
    ),
    (
        "checkout.response.redirectUrl checkout.page",
        spoiling("checkout", with_member("redirectUrl", "/checkout/1")),
    ),
    ("checkout.page", spoiling("checkout", lambda value: {"redirectUrl": value["redirectUrl"][:-2] + "0x/"})),
    (
        "checkout.pre-authorization",
        refusing("checkout", lambda body: body.get("type") == "ecom.preAuthorization"),
    ),
    (
        "checkout.full checkout.example",
        refusing("checkout", lambda body: "providerDiscretionaryData" in body),
    ),
    ("checkout.example", refusing("checkout", _is_example)),
    ("checkout.amount.number", refusing("checkout", _is_number)),
    (
        "checkout.same-urls",
        refusing("checkout", lambda body: len(set(body.get("redirectDetails", {"": 1}).values())) == 4),
    ),
    (REFUSED_CARTS, ignoring(CART)),
    ("cart.quantity.9999", _refusing_carts(lambda cart: _line(cart).get("productQuantity") == 9999)),
    (
        "cart.product-type.surcharge",
        _refusing_carts(lambda cart: _line(cart).get("productType") == "surcharge"),
    ),
    ("cart.no-tax.0", _refusing_carts(lambda cart: _line(cart).get("taxRate") == "0")),
    (
        "cart.discount-type.storeCredit checkout.example",
        _refusing_carts(lambda cart: "'storeCredit'" in str(cart.get("discountDetails"))),
    ),
    (REFUSED_BILLING, ignoring(BILLING, lambda address: "firstName" not in address)),
    (
        "addresses.billing.no-state",
        _refusing_addresses(
            "billingAddress", lambda one: one.get("countryCode") == "DEU" and "state" not in one
        ),
    ),
    (
        "addresses.billing addresses.billing.no-state checkout.full checkout.example",
        _refusing_addresses("billingAddress", lambda _: True),
    ),
    (REFUSED_SHIPPING, ignoring(SHIPPING)),
    (
        "addresses.shipping.nothing addresses.shipping.name",
        _refusing_addresses("shippingAddress", lambda one: "street" not in one),
    ),
]
ERRORS: list[tuple[str, Wrong]] = [
    (_under("errors.json", *BOTH), _as_page),
    (_under("errors.code", *BOTH), spoiling_errors(lambda value: value | {"code": int(value["code"])})),
    (_under("errors.code", *BOTH), spoiling_errors(without_member("code"))),
    ("errors.code.checkout", spoiling_errors(without_member("code"), operation="checkout")),
    (_under("errors.details", *BOTH), spoiling_errors(with_member("details", "no"))),
    (_under("errors.schema.code", *BOTH), spoiling_errors(with_member("code", "4000000"), SCHEMA)),
    (
        _under("errors.schema.message", *BOTH),
        spoiling_errors(with_member("details.message", "Invalid"), SCHEMA),
    ),
]
FOLLOW_UPS: list[tuple[str, Wrong]] = [
    *((f"follow-ups.{name}", refusing(name)) for name in ("capture", "refund", "reversal")),
    *(
        (f"follow-ups.{name}.state", spoiling(name, with_member("state", "Done")))
        for name in ("capture", "refund", "reversal")
    ),
    *(
        (
            " ".join(
                f"follow-ups.response.{each}"
                for each in fields("follow_up_response")
                if each == path or each.startswith(f"{path}.")
            ),
            spoiling("refund", without_member(path)),
        )
        for path in fields("follow_up_response")
    ),
    ("follow-ups.response.id", spoiling("refund", with_member("id", 7))),
    (
        "follow-ups.response.echo.reference",
        spoiling("refund", with_member("clientSystemTransactionId", "another")),
    ),
    ("follow-ups.response.echo.reference", _echoing_the_original),
    ("follow-ups.response.echo.currency", spoiling("refund", with_member("currencyCode", "USD"))),
    ("follow-ups.response.ids status.record.ids", _one_id),
    ("follow-ups.example", refusing("capture", lambda body: "apmdetails" in body)),
    ("follow-ups.amount.number", refusing("refund", _is_number)),
    ("follow-ups.mandatory.storeId", reading("refund", "storeId", "SANDBOX-STORE")),
    ("follow-ups.mandatory.clientSystemTransactionId", numbering("refund")),
    ("follow-ups.mandatory.amount follow-ups.amount.comma", reading("refund", "amount", "0.01", _not_a_text)),
    ("follow-ups.mandatory.type follow-ups.type.unknown", reading("refund", "type", "ecom.refund")),
    (
        _under("follow-ups", "mandatory.apmDetails", "mandatory.apmDetails.apmProvider", "provider.other"),
        reading("refund", "apmDetails.apmProvider", "ExampleWalletV2"),
    ),
    (
        "follow-ups.mandatory.clientSystemInvoiceId",
        approving("refund", lambda body: "clientSystemInvoiceId" not in body),
    ),
    ("follow-ups.original.unknown", _refunding_what_was_never_paid()),
    ("follow-ups.cart.quantity", approving("refund", lambda body: CART in body)),
]
STATUS: list[tuple[str, Wrong]] = [
    ("status.array", spoiling("status", lambda records: records[0] if records else records)),
    (
        "status.mandatory.merchantId status.identification.merchantId",
        reading("status", "merchantId", "SANDBOX-MERCHANT"),
    ),
    (
        "status.mandatory.clientSystemTransactionId",
        answering(
            "status", lambda request: request.at("clientSystemTransactionId") is None, lambda _: answered([])
        ),
    ),
    *(
        (f"status.record.{name}", spoiling_records(without_member(name), SALE))
        for name in (
            "id",
            "state",
            "currencyCode",
            "transactionAmount",
            "clientSystemTransactionId",
            "apmDetails",
        )
    ),
    ("status.record.type status.record.type.capture", spoiling_records(without_member("type"))),
    (
        "status.record.transactionAmount",
        spoiling_records(lambda one: one | {"transactionAmount": str(one["transactionAmount"])}),
    ),
    (
        "status.record.amount",
        spoiling_records(lambda one: one | {"transactionAmount": int(one["transactionAmount"] * 100)}),
    ),
    *(
        ("status.record.transactionDateTime", _with_time(change))
        for change in (lambda time: f"{time}Z", lambda time: time[:-1], lambda time: time[:19])
    ),
    *(
        (f"status.record.apmDetails.{name}", spoiling_records(with_member(f"apmDetails.{name}", None), SALE))
        for name in ("apmName", "apmPayerAccountNumber", "apmPayerEmailAddress", "apmProviderTransactionId")
    ),
    ("status.record.reference", spoiling_records(with_member("clientSystemTransactionId", "another"), SALE)),
    ("status.record.currency", spoiling_records(with_member("currencyCode", "USD"), SALE)),
    ("status.record.approved", spoiling_records(with_member("state", "Settled"), SALE)),
    ("status.record.type.sale", spoiling_records(with_member("type", "sale"), SALE)),
    ("status.record.type.capture", spoiling_records(with_member("type", SALE), "ecom.capture")),
    (
        "status.pre-authorization.details",
        spoiling_records(with_member("apmDetails.apmPayerShippingPhone", 49151), "ecom.preAuthorization"),
    ),
    ("status.pre-authorization.shipping", spoiling_records(_without_shipping, "ecom.preAuthorization")),
    ("status.errored", spoiling_records(_payer_of_errored)),
    (
        "status.errored.state",
        spoiling(
            "refund", lambda value: value | ({"state": "Failed"} if value["state"] == "Errored" else {})
        ),
    ),
]
DETACHED: list[tuple[str, Wrong]] = [
    ("detached.refund", refusing("detached")),
    *(
        (
            " ".join(
                f"detached.response.{each}"
                for each in fields("detached_refund_response")
                if each == path or each.startswith(f"{path}.")
            ),
            spoiling("detached", without_member(path)),
        )
        for path in fields("detached_refund_response")
    ),
    (
        "detached.response.amount",
        spoiling("detached", lambda value: value | {"amount": float(value["amount"])}),
    ),
    (
        "detached.response.not-more detached.response.messages",
        spoiling("detached", with_member("amount", "3.33")),
    ),
    (
        "detached.response.messages",
        spoiling(
            "detached", lambda value: value | {"responseMessage": "done", "providerResponseMessage": "done"}
        ),
    ),
    (
        "detached.response.echo.clientSystemTransactionId",
        spoiling("detached", with_member("clientSystemTransactionId", "another")),
    ),
    ("detached.response.echo.currencyCode", spoiling("detached", with_member("currencyCode", "USD"))),
    ("detached.response.approved", spoiling("detached", with_member("state", "Ok"))),
    ("detached.example", refusing("detached", lambda body: "apmdetails" in body)),
    ("detached.amount.number", refusing("detached", _is_number)),
    ("detached.mandatory.userId", reading("detached", "userId", "sandbox-user")),
    ("detached.mandatory.clientSystemTransactionId", numbering("detached")),
    (
        "detached.mandatory.amount detached.amount.comma detached.limit",
        reading("detached", "amount", "0.01", _not_a_text),
    ),
    (
        "detached.mandatory.apmDetails detached.mandatory.apmDetails.apmProvider",
        reading("detached", "apmDetails.apmProvider", "ExampleWalletV2"),
    ),
    (
        "detached.parent.unknown",
        approving("detached", lambda body: str(body.get("parentTransactionId")).startswith("KIT-")),
    ),
    ("detached.limit.code", spoiling_errors(with_member("code", "4000000"), LIMIT, "detached")),
    (
        "detached.limit.message",
        spoiling_errors(with_member("details.message", "TooMuch: 1 2 3 4"), LIMIT, "detached"),
    ),
    *(
        (
            "detached.limit.amounts",
            spoiling_errors(with_member("details.message", f"{LIMIT}: {amounts}"), LIMIT, "detached"),
        )
        for amounts in (
            "50.00, 20.05, 29.95",
            "requested 30.01, maximum 29.95, refunded 20.05, deposit 50.00",
            "deposit 50.00, refunded 0.00, maximum 29.95, requested 30.01",
        )
    ),
]
WALLET: list[tuple[str, Wrong]] = [
    *(
        (f"wallet.keys.{name}", spoiling("keys", without_member(name)))
        for name in ("encryptionKey", "apiKey")
    ),
    (_under("wallet.account.create", "no-key", "false-key"), _letting_in("create", RESULT)),
    (_under("wallet.account.get", "no-key", "false-key"), _letting_in("get", {"cardType": "Token"})),
    (
        _under("wallet.authorization", "no-key", "false-key"),
        _letting_in("authorize", {"id": "x", "state": "Approved"}),
    ),
    ("wallet.account.get.mandatory.encryptionKeyId", _telling_without("encryptionKeyId")),
    ("wallet.result.transactionMethod", spoiling("create", with_member("transactionMethod", "GooglePay"))),
    ("wallet.result.echo", spoiling("create", with_member("clientSystemTransactionId", "another"))),
    ("wallet.result.transactionAccountId", spoiling("create", with_member("transactionAccountId", 7))),
    (
        "wallet.result.clientSystemTransactionId",
        spoiling("create", without_member("clientSystemTransactionId")),
    ),
    *(
        (
            _under("wallet", f"result.tokenized.{name}", *PAID_WITH_PROOF),
            _only(True, without_member(name)),
        )
        for name in ("cryptogram", "eciIndicator")
    ),
    ("wallet.result.plain.eciIndicator", _only(False, with_member("eciIndicator", "05"))),
    (
        "wallet.result.plain.cryptogram",
        _only(False, with_member("cryptogram", "AAECAwQFBgcICQoLDA0ODxAREhM=")),
    ),
    ("wallet.result.nulls", _only(False, with_member("redirectData", None))),
    *(
        (f"wallet.result.extensive.{name}", spoiling("create", without_member(name)))
        for name in ("email", "shippingAddress", "billingAddress")
    ),
    (
        "wallet.payment-data.token",
        spoiling_errors(lambda value: value | {"code": "4000341"}, operation="create"),
    ),
    ("wallet.payment-data.description", spoiling_errors(without_member("description"), operation="create")),
    ("wallet.payment-data.apiVersion", reading("create", "paymentData.apiVersion", 2)),
    (
        "wallet.payment-data.paymentMethodData.tokenizationData.type wallet.payment-data.tokenization",
        reading("create", f"{METHOD}.tokenizationData.type", "PAYMENT_GATEWAY"),
    ),
    (
        "wallet.payment-data.paymentMethodData.info wallet.network.INTERAC",
        reading(
            "create",
            f"{METHOD}.info",
            {"cardNetwork": "VISA"},
            lambda info: "INTERAC" in str(info or "INTERAC"),
        ),
    ),
    ("wallet.network.JCB", refusing("create", lambda body: "'JCB'" in str(body))),
    ("wallet.account.cardType", spoiling("get", with_member("cardType", "CreditCard"))),
    (
        "wallet.account.kind.PAN_ONLY wallet.account.kind.CRYPTOGRAM_3DS",
        spoiling(
            "get", lambda value: value | {"cardType": {"Card": "Token", "Token": "Card"}[value["cardType"]]}
        ),
    ),
    (
        "wallet.authorization.ecom.preauthorization",
        refusing("authorize", lambda body: body["type"] == "ecom.preauthorization"),
    ),
    (
        "wallet.authorization.cryptogram wallet.authorization.3ds",
        approving("authorize", lambda body: "cryptogram" not in body),
    ),
]
SCRIPT: list[tuple[str, Wrong]] = [
    ("script.type", _serving(content_type="text/plain")),
    ("script.version", _serving(v=False)),
    ("script.entry", _serving(b"window.pay = () => {}")),
]
WRONG = [*CHECKOUTS, *ERRORS, *FOLLOW_UPS, *STATUS, *DETACHED, *WALLET, *SCRIPT]


@every(("probes", "wrong"), WRONG)
def test_a_wrong_gateway_is_named_by_these_probes_and_no_other(
    probes: str, wrong: Wrong, sandbox_url: str
) -> None:
    wanted = set(probes.split())
    found = of(results_of(sandbox_url, wrong, *{name.partition(".")[0] for name in wanted}), Outcome.FAILED)
    assert set(found) == wanted, found


MUST_BE_REFUSED = re.compile(r"\b(?:is|are) refused\b|\bnot (?:created|told|pay|authorized|tell)\b")


def _accepting(request: Request, ask: Ask) -> Answer:
    """Accepts whatever the sandbox refuses."""
    answer = ask(request)
    values = {
        "checkout": {"redirectUrl": "https://gateway.example/1"},
        "status": [approval({}) | {"type": SALE}],
        "get": {"cardType": "Token"},
        "create": {"transactionAccountId": "made-up"},
    }
    made_up = values.get(request.operation, approval(request.content))
    return answered(made_up) if answer.is_refusal else answer


def _liking_nothing(request: Request, ask: Ask) -> Answer:
    """Accepts no checkout and no account."""
    return answered({"code": "4107940"}, 400) if request.operation in ("checkout", "create") else ask(request)


def test_every_statement_is_broken_by_some_wrong_gateway(sandbox_url: str) -> None:
    refusals = {probe.name for probe in PROBES if MUST_BE_REFUSED.search(probe.title)}
    assert len(refusals) > 100
    missed_by_the_generous = failed(results_of(sandbox_url, _accepting))
    assert refusals - missed_by_the_generous == set()
    named = {name for probes, _ in WRONG for name in probes.split()} | missed_by_the_generous
    named |= failed(results_of(sandbox_url, _liking_nothing))
    # Open points cannot fail.
    assert {probe.name for probe in PROBES if not probe.name.startswith("open.")} - named == set()


@pytest.mark.parametrize(
    ("wrong", "of_area", "outcome"),
    [
        (right, "", Outcome.FAILED),
        (_serving(), "script", Outcome.PASSED),
        (_serving(content_type="text/html"), "script", Outcome.SKIPPED),
        (answering("keys", lambda _: True, lambda _: answered({}, 404)), "wallet", Outcome.SKIPPED),
    ],
)
def test_what_is_right_or_not_there_is_not_called_wrong(
    wrong: Wrong, of_area: str, outcome: Outcome, sandbox_url: str
) -> None:
    results = results_of(sandbox_url, wrong, *filter(None, [of_area]))
    assert failed(results) == set()
    assert outcome is Outcome.FAILED or {result.outcome for result in results} == {outcome}
