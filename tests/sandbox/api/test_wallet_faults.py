"""Faults, behaviours and secrets of the wallet button's four operations."""

from __future__ import annotations

import http.client
import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.merchant import Merchant
from tests.sandbox.wallet_buyer import REDIRECTS, Buyer
from wallet_gateway.sandbox.wallet.accounts import CARDS
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.sandbox import SandboxServer

OPERATIONS = ["public_key", "create_payment_account", "get_payment_account", "authorization"]


def ask(buyer: Buyer, operation: str) -> Any:  # noqa: ANN401
    """Carry one of the four operations out; what it needs is done before."""
    match operation:
        case "public_key":
            return lambda: buyer.merchant.post("/api/v5/publicKeys", buyer.ids)
        case "create_payment_account":
            data = buyer.data()
            return lambda: buyer.create(data)
        case "get_payment_account":
            account_id = buyer.account()["transactionAccountId"]
            return lambda: buyer.look_up(account_id)
    result = buyer.account()
    return lambda: buyer.authorize(result, clientSystemTransactionId="PAID-1")


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(
    ("fault", "status"), [("status_before", 500), ("error_body", 400), ("throttled", 429), ("not_json", 200)]
)
def test_a_fault_hits_the_operation_it_is_set_for(
    buyer: Buyer, control: SandboxControl, operation: str, fault: str, status: int
) -> None:
    call = ask(buyer, operation)
    control.fault(operation, fault)
    assert call().status == status
    last = control.journal()[-1]
    assert (last["operation"], last["fault"]) == (operation, fault)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("fault", ["drop_before", "drop_after"])
def test_a_connection_may_be_closed_without_an_answer(
    buyer: Buyer, control: SandboxControl, operation: str, fault: str
) -> None:
    call = ask(buyer, operation)
    control.fault(operation, fault)
    with pytest.raises(http.client.RemoteDisconnected):
        call()
    # What was processed before is known the second time.
    used_up = {"create_payment_account": 400, "authorization": 409}
    assert call().status == (used_up.get(operation, 200) if fault == "drop_after" else 200)


def test_a_late_authorization_is_carried_out_with_its_key(
    buyer: Buyer, merchant: Merchant, control: SandboxControl
) -> None:
    call = ask(buyer, "authorization")
    control.fault("authorization", "late", seconds=60)
    with pytest.raises(http.client.RemoteDisconnected):
        call()
    assert merchant.records("PAID-1") == []
    control.advance_clock(60)
    assert merchant.record("PAID-1")["state"] == "Approved"


@pytest.mark.parametrize("fault", ["errored", "undocumented_state", "partial"])
def test_what_has_no_state_cannot_be_spoilt(control: SandboxControl, fault: str) -> None:
    with pytest.raises(AssertionError, match="means nothing to get_payment_account"):
        control.fault("get_payment_account", fault)


def test_one_token_makes_one_account_and_one_account_one_payment(
    buyer: Buyer, control: SandboxControl
) -> None:
    data = buyer.data()

    def alone() -> Buyer:
        other = Buyer(Merchant(control.base_url), control)
        other.keys = buyer.keys
        return other

    buyers = [alone() for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        created = list(pool.map(lambda one: one.create(data), buyers))
        (result,) = [answer.json for answer in created if answer.status == 200]
        paid = list(pool.map(lambda one: one.authorize(result), buyers))
    assert [answer.status for answer in created].count(400) == 5
    assert sorted(answer.status for answer in paid) == [200, 409, 409, 409, 409, 409]
    for one in buyers:
        one.merchant.close()


class TestSecrets:
    """Everything the sandbox keeps is looked through for what nobody may find there."""

    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        return tmp_path / "sandbox.sqlite3"

    @pytest.fixture
    def own_control(self, file: Path) -> Iterator[SandboxControl]:
        with SandboxServer("--database", str(file)) as server:
            yield server.control

    def test_no_number_cryptogram_or_key_is_kept_in_the_open(
        self, file: Path, own_control: SandboxControl
    ) -> None:
        with Merchant(own_control.base_url) as merchant:
            buyer = Buyer(merchant, own_control)
            token, plain = buyer.account(), buyer.account("PAN_ONLY")
            buyer.look_up(token["transactionAccountId"])
            buyer.authorize(plain, redirectDetails=REDIRECTS)
            own_control.fault("authorization", "late", seconds=600)
            with pytest.raises(http.client.RemoteDisconnected):
                buyer.authorize(token)
            buyer.authorize(token, cryptogram="AAECAwQFBgcICQoLDA0ODxAREhM=")
            data = buyer.data()
            data["paymentMethodData"]["tokenizationData"]["token"] = "x"
            buyer.create(data, pan=CARDS[0].number)
        kept = json.dumps(own_control.journal()) + _everything_in(file)
        secrets = [token["cryptogram"], "AAECAwQFBgcICQoLDA0ODxAREhM=", *buyer.keys.values()]
        del secrets[secrets.index(buyer.keys["expiresAt"])]
        secrets += [card.number for card in CARDS]
        assert [secret for secret in secrets if secret in kept] == []
        assert "transactionAccountId" in kept


def _everything_in(file: Path) -> str:
    with closing(sqlite3.connect(file)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        rows = [row for name in names for row in database.execute(f'SELECT * FROM "{name}"')]
    return repr(rows)
