"""No wrong setting shows a secret: not in words, in what is chained, or in a traceback with variables."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from tests.conf.table import ACCOUNT, ACCOUNTS, settings_of
from tests.conf.test_wrong_settings import KEY, shop
from tests.support.tables import every
from wallet_gateway import conf, gateways, payments

CANARY = "canary-71b3"
WRONG: list[Any] = [
    CANARY,
    [CANARY],
    {CANARY: 7},
    {"token": [CANARY]},
    CANARY.encode(),
    7130.7130,
    [[CANARY]],
]
PROXY = f"http://shop:{CANARY}@proxy.example:99999"
OF_GATEWAY: dict[str, list[Any]] = {
    "FERNET_KEYS": WRONG,
    "AUTH_SECRETS": [
        CANARY,
        [CANARY],
        {CANARY: 7},
        {7: CANARY},
        {"token": [CANARY]},
        {"token": CANARY.encode()},
    ],
    "PROXY": [PROXY, [PROXY], {"https": PROXY}, PROXY.encode(), f"shop:{CANARY}@proxy.example"],
    "CLIENT_CERT": [{"key": CANARY}, CANARY.encode(), ("/no/such.pem", {"password": CANARY})],
    "USER_ID": [[CANARY], {CANARY: 7}, 7130.7130, f"{CANARY}\n", CANARY * 30],
}
OF_SHOP: dict[str, list[Any]] = {
    "FERNET_KEYS": WRONG,
    "HEALTH_TOKEN": [CANARY, [CANARY], {CANARY: 7}, CANARY.encode(), 7130.7130],
    "BASE_URLS": [
        *([CANARY], {"live": [CANARY]}),
        *(
            {"live": {"BASE_URL": "https://g.example", name: value}}
            for name, value in OF_GATEWAY.items()
            if name != "USER_ID"
        ),
    ],
}


def settings_with_a_wrong_secret() -> Iterator[dict[str, Any]]:
    for name, values in OF_GATEWAY.items():
        yield from (shop({name: value}) for value in values)
    for name, values in OF_SHOP.items():
        yield from (shop(**{name: value}) for value in values)


def shown(error: BaseException) -> str:
    """Return all that a log or a collector of errors could show of an error, without the test's own part."""
    whole = traceback.TracebackException.from_exception(error, capture_locals=True)
    for frame in whole.stack:
        if frame.filename == __file__:
            frame.locals = None
    assert error.__cause__ is None
    return "".join(whole.format()) + repr(error) + str(error)


@every("given", list(settings_with_a_wrong_secret()))
def test_a_wrong_secret_in_the_settings_is_named_and_not_shown(
    given: dict[str, Any], settings: Settings
) -> None:
    settings.WALLET_GATEWAY = given
    with pytest.raises(ImproperlyConfigured, match="WALLET_GATEWAY") as refused:
        conf.settings()
    assert refused.value.__context__ is None
    said = shown(refused.value) + repr(conf.problems())
    assert not {text for text in (CANARY, "7130", KEY) if text in said}, said


@every(
    "given",
    [
        {name: value}
        for name, values in OF_GATEWAY.items()
        for value in values
        if name not in {"PROXY", "CLIENT_CERT"}
    ],
)
def test_a_wrong_secret_of_an_account_outside_the_settings_is_named_and_not_shown(
    given: dict[str, Any], settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    ACCOUNTS.__init__()  # type: ignore[misc]
    ACCOUNTS.write(1, a=ACCOUNT | given)
    settings.WALLET_GATEWAY = settings_of()
    with pytest.raises(ImproperlyConfigured) as refused:
        gateways.gateway("a")
    said = (
        str(refused.value) + repr(refused.value) + caplog.text + repr(payments.maintenance.wrong_accounts())
    )
    assert (refused.value.__cause__, refused.value.__context__) == (None, None)
    assert not {text for text in (CANARY, "7130") if text in said}, said
    ACCOUNTS.__init__()  # type: ignore[misc]
