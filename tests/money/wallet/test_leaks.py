"""A card's secrets and the gateway's keys, looked for by their letters wherever something could keep them."""

from __future__ import annotations

import base64
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection
from django.views.debug import ExceptionReporter

from tests.money.wallet.customers import CARD, CRYPTOGRAM, TOKEN, Customer, WalletGateway, detail_for
from tests.money.wallet.hooks import AUTHENTICATOR, PRICING, Hooks
from tests.protocol.samples import cryptogram_of
from tests.support.gateway import Answer, Sent, losing, refusing
from tests.support.stored import stored
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.payments.errors import OperationError
from wallet_gateway.payments.wallet import SheetPricing, ShippingOption

pytestmark = pytest.mark.django_db
NUMBERS = ("4111111111111111", "4111 1111 1111 1111", "5555-5555-5555-4444")
KEYS = ("api-key-1", "encryption-key-1")


def forms(secret: str) -> tuple[str, ...]:
    raw = secret.encode()
    return secret, base64.b64encode(raw).decode(), raw.hex(), secret.replace("=", "%3D")


@contextmanager
def no_trace(caplog: pytest.LogCaptureFixture, *secrets: str) -> Iterator[list[str]]:
    """See that none of these is in a row or a log line afterwards, nor in the words added to the list."""
    said: list[str] = []
    caplog.clear()
    with caplog.at_level(logging.DEBUG, logger="wallet_gateway"):
        yield said
    places = stored(tables="wallet_gateway_") | {"what was said": "\n".join(said), "the log": caplog.text}
    for secret in secrets:
        assert [name for name, text in places.items() if any(form in text for form in forms(secret))] == []


def echoing(sent: Sent) -> tuple[int, object]:
    """Answer with an error that repeats what was sent, without the gateway's own keys."""
    repeated = {name: value for name, value in sent.items() if name not in {"key", "encryptionKeyId"}}
    return 400, {"code": "1", "details": {"message": str(repeated)}}


FAULTS: dict[str, Answer | None] = {
    "none": None,
    "lost": losing,
    "echo": echoing,
    "away": refusing(503),
    "no JSON": lambda _: (200, b"no JSON"),
    "wrong shape": lambda sent: (200, {"state": 7, "echo": dict(sent)}),
}


@pytest.mark.parametrize("account", [TOKEN, CARD], ids=["token", "card"])
@pytest.mark.parametrize("operation", ["answers", "cards"])
def test_no_row_and_no_log_line_holds_a_secret_whatever_becomes_of_a_look_up_or_an_authorization(
    operation: str, account: dict[str, str], customer: Customer, caplog: pytest.LogCaptureFixture
) -> None:
    customer.gateway.account = account
    proof = {} if account is TOKEN else {"cryptogram": None, "eciIndicator": None}
    with no_trace(caplog, CRYPTOGRAM, *KEYS, customer.session) as said:
        for fault in FAULTS.values():
            customer.shop.configure()  # What failed before is no reason to send nothing now.
            setattr(customer.gateway, operation, [fault] * 4 if fault else [])
            try:
                said.append(repr(customer.pay(customer.order(), **proof).opening))
            except OperationError as error:
                said.append(repr(error) + str(error))
    reached = customer.gateway.sent if operation == "answers" else customer.gateway.looked_up
    assert len(reached) >= len(FAULTS), "no pause kept a fault from happening"


@pytest.mark.parametrize("number", [NUMBERS[0], CRYPTOGRAM])
def test_a_card_number_or_cryptogram_posted_in_place_of_anything_else_is_in_no_row_and_no_line(
    number: str, customer: Customer, caplog: pytest.LogCaptureFixture
) -> None:
    customer.gateway.cards.append(echoing)
    spoilt = {"transactionAccountId": number, "email": number, "shippingAddress": {"address1": number}}
    with no_trace(caplog, number) as said, pytest.raises(OperationError) as refusal:
        customer.pay(customer.order(), **{"cryptogram": cryptogram_of(21)} | spoilt)
    assert number not in repr(refusal.value) + str(refusal.value) + "".join(said)


CHOICES: list[dict[str, Any]] = [
    *({"offers": [secret]} for secret in (*NUMBERS, CRYPTOGRAM, f"code {NUMBERS[0]}", f"{CRYPTOGRAM}x")),
    {"shipping_option": CRYPTOGRAM},
    *(
        {"shipping_address": {name: secret, "countryCode": "DE"}}
        for name in ("locality", "postalCode", "administrativeArea", "name", "address1", "phoneNumber")
        for secret in (NUMBERS[0], CRYPTOGRAM)
    ),
]


@pytest.mark.parametrize("is_priced", [True, False])
def test_a_card_number_and_a_cryptogram_chosen_on_the_sheet_are_in_no_row_and_no_line(
    is_priced: bool, customer: Customer, hooks: Hooks, caplog: pytest.LogCaptureFixture
) -> None:
    # As a shop that takes whatever code there is, and says nothing of those it does not know.
    option = ShippingOption(id="std", label="Standard", amount=customer.order().amount.amount)
    hooks.price = lambda _: SheetPricing(options=(option,))
    if is_priced:
        customer.configure(PRICING=PRICING)
    with no_trace(caplog, *NUMBERS, CRYPTOGRAM[:12]):
        for choices in CHOICES:
            order = customer.order()
            reference = customer.open(order).reference
            payments.wallet.price_sheet(order, reference=reference, session=customer.session, **choices)
            # Another card's attempt takes the choices over, and a charged one keeps them.
            customer.post(order, detail_for(reference, cryptogram=cryptogram_of(21)))


@every("filler", range(0, 17, 4))
def test_a_card_number_that_a_page_reports_is_in_no_row_wherever_the_report_is_cut(
    customer: Customer, filler: int
) -> None:
    order = customer.order()
    reference = customer.open(order).reference
    for secret in (NUMBERS[0], CRYPTOGRAM):
        customer.report(order, reference, message="." * filler + f"{secret} " * 60)
    kept = "\n".join(stored(tables="wallet_gateway_").values())
    assert "411111" not in kept
    assert CRYPTOGRAM[:12] not in kept


# Reports of crashes


class Surprise(BaseException):
    """Nothing catches this on its way up to Django."""


def surprise(*_: object, **__: object) -> Any:  # noqa: ANN401  it never returns
    raise Surprise


def crashes(customer: Customer, order: PaymentOrder, detail: dict[str, str]) -> bool:
    """Post a result; if it crashes, see that Django's report of the plugin's frames shows no secret."""
    try:
        customer.post(order, detail)
    except Surprise:
        reporter = ExceptionReporter(None, *sys.exc_info())
        own = [f for f in reporter.get_traceback_frames() if "/wallet_gateway/" in f.get("filename", "")]
        assert own
        for frame in own:
            shown = str(frame["vars"])
            secrets = (CRYPTOGRAM, *KEYS, customer.session)
            assert [secret for secret in secrets if secret in shown] == [], frame["function"]
        return True
    return False


PLACES: dict[str, Callable[[WalletGateway, Hooks], object]] = {
    "the query of a card": lambda gateway, _: gateway.cards.append(surprise),
    "its second query": lambda gateway, _: gateway.cards.extend([losing, surprise]),
    "the authorization": lambda gateway, _: gateway.answers.append(surprise),
    "the pricing": lambda _, hooks: setattr(hooks, "price", surprise),
    "the 3-D Secure": lambda _, hooks: setattr(hooks, "authenticate", surprise),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_report_of_a_crash_in_a_call_shows_no_secret(place: str, customer: Customer, hooks: Hooks) -> None:
    customer.configure(PRICING=PRICING, THREE_D_SECURE=AUTHENTICATOR)
    order = customer.order()
    detail = detail_for(customer.open(order).reference)
    if place == "the 3-D Secure":
        customer.gateway.account = CARD
        del detail["cryptogram"]
    PLACES[place](customer.gateway, hooks)
    assert crashes(customer, order, detail)


def test_a_report_of_a_crash_at_any_statement_shows_no_secret(customer: Customer) -> None:
    for last in range(99):
        order = customer.order()
        detail = detail_for(customer.open(order).reference)
        seen: list[str] = []

        def execute(
            run: Callable[..., object], sql: str, *given: object, seen: list[str] = seen, last: int = last
        ) -> object:
            seen.append(sql)
            # Once: what is rolled back then is a statement, too.
            return surprise() if len(seen) == last + 1 else run(sql, *given)

        with connection.execute_wrapper(execute):
            if not crashes(customer, order, detail):
                break
    assert last > 5, "a payment has several statements"
