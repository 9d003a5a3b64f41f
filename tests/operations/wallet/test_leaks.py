"""A card's secrets and the gateway's keys, looked for by their letters wherever something could keep them."""

from __future__ import annotations

import base64
import logging
import sys
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.apps import apps
from django.views.debug import ExceptionReporter

from tests.operations.conftest import MakeContext, MakeOrder
from tests.operations.wallet_customer import CARD, Customer
from tests.protocol.samples import cryptogram_of
from wallet_gateway.client import gateway as client_gateway
from wallet_gateway.client import http_transport, redaction
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.models import WalletAttempt, WalletKey
from wallet_gateway.models.wallet import WalletEvent
from wallet_gateway.operations.errors import OperationError
from wallet_gateway.operations.sending import answers
from wallet_gateway.operations.sending import send as sending
from wallet_gateway.operations.settlement import settle as settlement
from wallet_gateway.operations.wallet import authorize, retries
from wallet_gateway.operations.wallet import pay as wallet_payment
from wallet_gateway.operations.wallet.events import record_event
from wallet_gateway.operations.wallet.hooks import Pricer, SheetPricing, SheetQuestion, ShippingOption
from wallet_gateway.operations.wallet.keys import opened
from wallet_gateway.operations.wallet.session import price_sheet_of
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
FAULTS = [None, "drop_before", "drop_after", "error_body", "status_after", "not_json", "wrong_shape", "mixed"]


def forms(secret: str) -> tuple[bytes, ...]:
    raw = secret.encode()
    return raw, base64.b64encode(raw), raw.hex().encode(), secret.replace("=", "%3D").encode()


def everything_stored() -> bytes:
    """Return every value of every row of the plugin as octets."""
    kept = []
    for model in apps.get_app_config("wallet_gateway").get_models():
        for row in model._default_manager.values_list():
            kept += [bytes(v) if isinstance(v, bytes | memoryview) else str(v).encode() for v in row]
    return b"\n".join(kept)


def secrets_of(customer: Customer, detail: dict[str, Any]) -> list[str]:
    key = opened(WalletKey.objects.order_by("-pk")[0], customer.context)
    return [s for s in (detail.get("cryptogram"), key.api_key, key.encryption_key, customer.session) if s]


@pytest.mark.parametrize("operation", ["authorization", "get_payment_account"])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("method", ["CRYPTOGRAM_3DS", CARD])
def test_no_row_and_no_log_line_holds_a_secret_whatever_happened(
    method: str,
    fault: str | None,
    operation: str,
    customer: Customer,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
    caplog: pytest.LogCaptureFixture,
) -> None:
    order = make_order()
    with caplog.at_level(logging.DEBUG):
        detail = customer.approve(customer.open(order), method)
        caplog.clear()
        if fault is not None:
            wallet_sandbox.fault(operation, fault, times=10)
        try:
            said = repr(customer.post(order, detail).opening)
        except OperationError as error:
            said = repr(error) + str(error)
    kept = everything_stored()
    lines = "\n".join(record.getMessage() for record in caplog.records).encode()
    for secret in secrets_of(customer, detail):
        for form in forms(secret):
            assert form not in kept
            assert form not in lines
            assert form not in said.encode()


@pytest.mark.parametrize("number", ["4111111111111111", "AgAAAAAABk4DWZ4C28yUQAAAAAA="])
def test_a_card_number_or_cryptogram_posted_in_place_of_anything_else_is_in_no_row_and_no_line(
    number: str, customer: Customer, make_order: MakeOrder, caplog: pytest.LogCaptureFixture
) -> None:
    order = make_order()
    spoilt = {"transactionAccountId": number, "email": number, "shippingAddress": {"address1": number}}
    with caplog.at_level(logging.DEBUG):
        detail = customer.approve(customer.open(order)) | spoilt
        with pytest.raises(OperationError) as refusal:
            customer.post(order, detail)
    lines = [record.getMessage() for record in caplog.records if record.name.startswith("wallet_gateway")]
    assert number not in repr(refusal.value) + str(refusal.value) + "".join(lines)
    assert number.encode() not in everything_stored()


@pytest.mark.parametrize("length", [16, 19, 20, 24, 28, 32, 64])
def test_a_cryptogram_of_any_length_in_a_wrong_field_is_in_no_row_and_no_line(
    length: int, customer: Customer, make_order: MakeOrder, caplog: pytest.LogCaptureFixture
) -> None:
    order, other = make_order(), cryptogram_of(length)
    button = customer.open(order)
    with caplog.at_level(logging.DEBUG):
        record_event(
            order=order,
            reference=button.reference,
            session=customer.session,
            event=WalletEvent.ERROR,
            message=f"failed with {other}",
            context=customer.context,
        )
        failed = {"code": "4000340", "description": other, "details": {"message": f"odd: {other}, 05"}}
        customer.post(order, failed)
        detail = customer.approve(button)
        own = detail["cryptogram"]
        address = dict.fromkeys(("name", "address1", "locality", "postalCode", "phoneNumber"), other)
        spoilt = {"email": own, "billingAddress": address, "shippingAddress": address | {"address2": own}}
        payment = customer.post(order, detail | spoilt)
    assert payment.opening.state == TransactionState.APPROVED
    kept = everything_stored()
    lines = "\n".join(record.getMessage() for record in caplog.records).encode()
    for secret in (own, other):
        for form in forms(secret):
            assert form not in kept
            assert form not in lines
    assert [event["detail"] for event in WalletAttempt.objects.get().events] == [
        "failed with [removed]",
        "4000340 [removed] odd: [removed], 05",
        "",
    ]


NUMBERS = ("4111111111111111", "4111 1111 1111 1111", "5555-5555-5555-4444")
CRYPTOGRAM = "AgAAAAAABk4DWZ4C28yUQAAAAAA="
CHOICES: list[dict[str, Any]] = [
    {"offers": [secret]} for secret in (*NUMBERS, CRYPTOGRAM, f"code {NUMBERS[0]}", f"{CRYPTOGRAM}x")
]
CHOICES += [{"option": CRYPTOGRAM}]
CHOICES += [
    {"address": {name: secret, "countryCode": "DE"}}
    for name in ("locality", "postalCode", "administrativeArea", "name", "address1", "phoneNumber")
    for secret in (NUMBERS[0], CRYPTOGRAM)
]


def ignores_codes(_: SheetQuestion) -> SheetPricing:
    """Price as a shop that takes whatever code there is, and says nothing of those it does not know."""
    return SheetPricing(options=(ShippingOption(id="std", label="Standard", amount=Decimal("5.00")),))


@pytest.mark.parametrize("choices", CHOICES, ids=repr)
@pytest.mark.parametrize("pricing", [None, ignores_codes], ids=["no pricing", "pricing"])
def test_a_card_number_and_a_cryptogram_chosen_on_the_sheet_are_in_no_row_and_no_line(
    pricing: Pricer | None,
    choices: dict[str, Any],
    customer: Customer,
    make_context: MakeContext,
    make_order: MakeOrder,
    caplog: pytest.LogCaptureFixture,
) -> None:
    shop, order = replace(customer, context=make_context(price=pricing)), make_order()
    button = shop.open(order)
    with caplog.at_level(logging.DEBUG):
        price_sheet_of(
            order=order,
            reference=button.reference,
            session=shop.session,
            chosen={"address": None, "option": None, "offers": (), **choices},
            context=shop.context,
        )
        # Another card's attempt takes the choices over, and a charged one keeps them.
        shop.post(order, shop.approve(button))
    kept = everything_stored()
    lines = "\n".join(record.getMessage() for record in caplog.records)
    for secret in (*NUMBERS, CRYPTOGRAM):
        assert secret.encode() not in kept
        assert secret not in lines


def test_where_sheets_are_not_priced_nothing_of_what_is_chosen_is_kept(
    customer: Customer, make_order: MakeOrder
) -> None:
    order = make_order()
    button = customer.open(order)
    before = WalletAttempt.objects.get().price
    price_sheet_of(
        order=order,
        reference=button.reference,
        session=customer.session,
        chosen={"address": {"locality": "Bonn"}, "option": "std", "offers": ("WELCOME",)},
        context=customer.context,
    )
    assert WalletAttempt.objects.get().price == before | {"number": 1}


@pytest.mark.parametrize("filler", range(0, 17, 4))
def test_a_card_number_that_a_page_reports_is_in_no_row_wherever_the_report_is_cut(
    filler: int, customer: Customer, make_order: MakeOrder
) -> None:
    order = make_order()
    button = customer.open(order)
    for message in ("." * filler + f"{NUMBERS[0]} " * 60, "." * filler + f"{CRYPTOGRAM} " * 60):
        record_event(
            order=order,
            reference=button.reference,
            session=customer.session,
            event=WalletEvent.ERROR,
            message=message,
            context=customer.context,
        )
    kept = everything_stored()
    assert b"411111" not in kept
    assert CRYPTOGRAM[:12].encode() not in kept


class Surprise(BaseException):
    """Nothing catches this on its way up to Django."""


def surprise(*_: object, **__: object) -> None:
    raise Surprise


PLACES = [
    (wallet_payment, "read_result"),
    (wallet_payment, "_take"),
    (retries, "_pause"),
    (http_transport.HttpTransport, "_exchange"),
    (client_gateway, "parse_response"),
    (redaction, "_redacted"),
    (authorize, "_claim"),
    (sending, "retry_unsent"),
    (answers, "record_authorization_answer"),
    (settlement, "_event"),
]


@pytest.mark.parametrize(("place", "name"), PLACES, ids=lambda part: str(part).rpartition(".")[2])
def test_a_report_of_a_crash_shows_no_secret_wherever_it_is(
    place: Any,  # noqa: ANN401 - a module or a class
    name: str,
    customer: Customer,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))
    secrets = secrets_of(customer, detail)
    wallet_sandbox.fault("get_payment_account", "drop_after")
    monkeypatch.setattr(place, name, surprise)

    frames = frames_of(lambda: customer.post(order, detail))

    assert frames
    for frame in frames:
        shown = str(frame["vars"])
        assert [secret for secret in secrets if secret in shown] == [], frame["function"]


def frames_of(work: Callable[[], object]) -> list[dict[str, Any]]:
    """Run what fails as a public function does, and give the plugin's frames as Django reports them."""
    try:
        sensitive_variables()(work)()
    except Surprise:
        reporter = ExceptionReporter(None, *sys.exc_info())
        return [f for f in reporter.get_traceback_frames() if "/wallet_gateway/" in f.get("filename", "")]
    raise AssertionError("nothing was raised")
