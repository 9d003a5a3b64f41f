"""Async views pay through the sandbox on each ASGI server, with the code of docs/how-to/asgi.md."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from tests.support.asgi import SERVERS, served_shops
from tests.support.waiting import eventually
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction, Payment
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.sandbox import SandboxServer

pytestmark = [pytest.mark.wire, pytest.mark.slow, pytest.mark.django_db(transaction=True)]
SECRET = "a" * 32


@pytest.fixture(scope="module")
def shops(
    wallet_sandbox_server: SandboxServer, django_db_setup: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    """The shop's address on each server; all of them use the tests' database."""
    folder = tmp_path_factory.mktemp("asgi")
    with served_shops(folder, gateway=wallet_sandbox_server.base_url) as served:
        yield served


@pytest.fixture(params=SERVERS)
def shop(request: pytest.FixtureRequest, shops: dict[str, str], wallet_sandbox: SandboxControl) -> str:
    return shops[request.param]


def post(url: str) -> requests.Response:
    headers = {"X-CSRFToken": SECRET, "Cookie": f"csrftoken={SECRET}"}
    return requests.post(url, headers=headers, allow_redirects=False, timeout=60)


def test_customers_pay_beside_each_other(shop: str, wallet_sandbox: SandboxControl) -> None:
    names = [f"ASGI-{number}" for number in range(2)]

    def pay(name: str) -> tuple[int, str]:
        opened = post(f"{shop}/pay/{name}/")
        return opened.status_code, opened.headers["Location"]

    with ThreadPoolExecutor(len(names)) as customers:
        opened = dict(zip(names, customers.map(pay, names), strict=True))
    for name, (status, location) in opened.items():
        attempt = Payment.objects.get(order__reference=name)
        assert (status, location) == (303, attempt.redirect_url)
        wallet_sandbox.complete_checkout(attempt.reference, "success")

    with ThreadPoolExecutor(len(names)) as customers:
        told = customers.map(lambda name: requests.get(f"{shop}/orders/{name}/", timeout=60).json(), names)
    assert list(told) == [{"reference": n, "amount": "12.50 EUR", "state": "PAID"} for n in names]
    # The plugin's own pages and JSON are served beside them.
    token = payments.get_order(names[0]).token
    assert requests.get(f"{shop}/wallet/pay/{token}/", timeout=60).status_code == 200
    headers = {"Authorization": f"Bearer {payments.orders.access_token(payments.get_order(names[0]))}"}
    answer = requests.post(
        f"{shop}/wallet/api/orders/{token}/checkout/", json={}, headers=headers, timeout=60
    )
    assert (answer.status_code, answer.json()["code"]) == (409, "order_not_payable")


def test_a_customer_who_goes_away_leaves_a_payment_that_is_recorded(
    shop: str, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault("checkout", "delay_before", times=1, seconds=0.5)
    host, port = shop.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as browser:
        browser.sendall(
            f"POST /pay/GONE/ HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 0\r\n"
            f"X-CSRFToken: {SECRET}\r\nCookie: csrftoken={SECRET}\r\n\r\n".encode()
        )
        assert eventually(lambda: Payment.objects.filter(order__reference="GONE").exists())
    assert eventually(lambda: GatewayTransaction.objects.filter(state="OPEN").exists())
    assert post(f"{shop}/pay/GONE/").headers["Location"] == Payment.objects.get().redirect_url
