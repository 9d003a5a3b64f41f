"""A log that shows the variables of every frame, and Django's mail to the admins, hold no customer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core import mail
from django.db import DataError, connection
from django.utils.log import AdminEmailHandler
from pytest_django import Settings

from tests.collectors import shop
from tests.collectors.canaries import Payer, found
from tests.collectors.dying_database import Dying
from tests.collectors.listening import LocalsHandler
from tests.collectors.shop import surprise
from tests.operations.personal import PERSONAL
from wallet_gateway import signals
from wallet_gateway.client import gateway as client_gateway
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operations.settlement import settle as settlement
from wallet_gateway.operations.wallet import authorize
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db

MakeOrder = Callable[..., PaymentOrder]


@pytest.fixture(params=[False, True], ids=["production", "debug"])
def log(request: pytest.FixtureRequest, settings: Settings) -> Iterator[LocalsHandler]:
    """The loggers of Django and of this package, with and without DEBUG."""
    settings.DEBUG = request.param
    handler = LocalsHandler()
    loggers = [logging.getLogger(name) for name in ("", "django", "wallet_gateway")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.INFO)
    loggers[0].addHandler(handler)
    yield handler
    loggers[0].removeHandler(handler)
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)


PLACES = [(authorize, "_claim"), (client_gateway, "parse_response"), (settlement, "_event")]


@pytest.mark.parametrize(("place", "name"), PLACES, ids=lambda part: str(part).rpartition(".")[2])
def test_a_log_with_variables_of_a_result_that_fails(
    place: Any,  # noqa: ANN401 - a module
    name: str,
    payer: Payer,
    make_order: MakeOrder,
    log: LocalsHandler,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order = make_order()
    payer.approve(order)
    monkeypatch.setattr(place, name, surprise)
    payer.post(order)
    assert "surprise" in log.text or place is client_gateway
    assert found(log.text, (*payer.secrets, *payer.asked_for)) == []


def test_a_log_with_variables_of_a_gateway_that_is_silent(
    payer: Payer, make_order: MakeOrder, log: LocalsHandler, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    payer.approve(order)
    wallet_sandbox.fault("get_payment_account", "drop_after", times=10)
    payer.post(order)
    assert "could not be asked about" in log.text
    assert found(log.text, (*payer.secrets, *payer.asked_for)) == []


def test_a_log_with_variables_of_a_receiver_that_raises(
    payer: Payer, make_order: MakeOrder, log: LocalsHandler
) -> None:
    order = make_order()
    payer.approve(order)
    signals.order_paid.connect(surprise)
    try:
        assert payer.post(order) == 200
    finally:
        signals.order_paid.disconnect(surprise)
    assert "of the test" in log.text
    assert found(log.text, (*payer.secrets, *payer.asked_for)) == []


def test_a_log_with_variables_of_a_checkout_whose_row_is_refused(
    wallet_sandbox: SandboxControl, log: LocalsHandler
) -> None:
    try:
        with connection.execute_wrapper(Dying(2, DataError, once=True)):
            shop.check_out()
    except DataError:
        logging.getLogger("shop").exception("the order could not be stored")
    connection.needs_rollback = False
    assert "could not be stored" in log.text
    assert found(log.text, PERSONAL) == []


def test_the_mail_to_the_admins(
    payer: Payer, make_order: MakeOrder, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ADMINS = [("Ada", "ada@shop.example")]
    order = make_order()
    payer.approve(order)
    monkeypatch.setattr(settlement, "_event", surprise)
    handler = AdminEmailHandler(include_html=True)
    logger = logging.getLogger("django.request")
    logger.addHandler(handler)
    try:
        payer.post(order)
    finally:
        logger.removeHandler(handler)
    said = "".join(message.message().as_string() for message in mail.outbox)
    assert "of the test" in said
    assert found(said, (*payer.secrets, *payer.asked_for)) == []
