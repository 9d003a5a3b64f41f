"""The wallet button: keys, payment accounts, authorizations, 3-D Secure, and what is kept of them."""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.sandbox.merchant import IDS, Merchant, new_reference
from tests.sandbox.wallet_buyer import KEYS, PROOF, REDIRECTS, Buyer, back_at
from tests.support.tables import every
from wallet_gateway.testing.control import SandboxControl, SandboxRefused
from wallet_gateway.testing.sandbox import SandboxServer

OTHER_CRYPTOGRAM = "AAECAwQFBgcICQoLDA0ODxAREhM="


# Keys


def test_keys_are_new_every_time_and_end_when_they_say(buyer: Buyer, control: SandboxControl) -> None:
    first, second = (buyer.merchant.post(KEYS, IDS).json for _ in range(2))
    assert set(first) == {"apiKey", "encryptionKey", "expiresAt"}
    assert len({first["apiKey"], second["apiKey"], first["encryptionKey"], second["encryptionKey"]}) == 4
    now = datetime.fromisoformat(control.advance_clock(0))
    assert timedelta(minutes=59) < datetime.fromisoformat(first["expiresAt"]) - now <= timedelta(hours=1)
    account_id = buyer.account()["transactionAccountId"]
    control.advance_clock(3600)
    assert (answer := buyer.look_up(account_id)).status == 401
    assert answer.code == "4401003"
    assert Buyer(buyer.merchant, control).look_up(account_id).status == 200


@every("authorization", ["", "PublicApiKey", "PublicApiKey nobody", "Bearer {apiKey}"])
def test_without_a_key_nothing_is_done(buyer: Buyer, authorization: str) -> None:
    data = buyer.data()
    answer = buyer.create(data, headers={"Authorization": authorization.format_map(buyer.keys)})
    assert (answer.status, answer.code) == (401, "4401002")
    assert buyer.create(data).status == 200


# Payment accounts


@every(
    ("network", "lengths", "indicator"),
    [
        ("VISA", {20}, "05"),
        ("MASTERCARD", {19}, "02"),
        ("AMEX", {20, 40}, "5"),
        ("DISCOVER", {20}, None),
        ("JCB", {20}, "05"),
    ],
)
def test_a_token_card_brings_a_cryptogram_of_its_networks_length_and_its_indicator(
    buyer: Buyer, network: str, lengths: set[int], indicator: str | None
) -> None:
    result = buyer.account(network=network)
    cryptogram = base64.b64decode(result.pop("cryptogram"), validate=True)
    assert len(cryptogram) in lengths
    assert result.pop("transactionAccountId")
    assert result.pop("eciIndicator", None) == indicator
    assert result == {"clientSystemTransactionId": "BUTTON-1", "transactionMethod": "WalletPay"}


@every("token", ["x", "{}", "[]", '{"protocolVersion":"ECv3"}', "\u0000", "[" * 5000])
def test_what_is_no_token_is_refused(buyer: Buyer, token: str) -> None:
    data = buyer.data()
    data["paymentMethodData"]["tokenizationData"]["token"] = token
    answer = buyer.create(data)
    assert (answer.status, answer.code) == (400, "4400010")


def test_a_token_is_used_once_and_expires(buyer: Buyer, control: SandboxControl) -> None:
    data, unused = buyer.data(), buyer.data()
    assert buyer.create(data).status == 200
    answer = buyer.create(data, clientSystemTransactionId="BUTTON-2")
    assert (answer.status, answer.code) == (400, "4400012")
    control.advance_clock(3600)
    later = Buyer(buyer.merchant, control)
    answer = later.create(unused)
    assert (answer.status, answer.code) == (400, "4400011")
    assert "expired_message" in answer.message


@every(
    ("account_id", "refusal"),
    [
        *((known, (404, "4404004")) for known in ("nobody", "a" * 255)),
        *((odd, (400, "4107940")) for odd in ("%00", "ACC-1?x=1", "é")),
    ],
)
def test_an_unknown_account_is_not_found_and_what_is_no_id_is_refused(
    buyer: Buyer, account_id: str, refusal: tuple[int, str]
) -> None:
    answer = buyer.look_up(quote(account_id))
    assert (answer.status, answer.code) == refusal


# What the wallet gives


def test_nothing_is_given_that_was_not_asked_for(buyer: Buyer) -> None:
    given = buyer.data()
    assert set(given) == {"apiVersion", "apiVersionMinor", "paymentMethodData"}
    assert given["paymentMethodData"]["description"] == "Visa 1111"
    info = {"cardNetwork": "VISA", "cardDetails": "1111", "cardFundingSource": "CREDIT"}
    assert given["paymentMethodData"]["info"] == info
    assert "4111111111111111" not in str(given)


def test_email_addresses_and_option_are_given_when_asked_for(buyer: Buyer) -> None:
    options: dict[str, Any] = {"shippingOptions": [{"id": "slow"}, {"id": "fast"}]}
    asked: dict[str, Any] = {
        "emailRequired": True,
        "shippingAddressRequired": True,
        "shippingAddressParameters": {"allowedCountryCodes": ["US"]},
        "shippingOptionRequired": True,
    }
    given = buyer.data(**asked, shippingOptionParameters=options)
    assert given["email"] == "sam.sample@example.com"
    assert given["shippingAddress"]["countryCode"] == "US"
    assert "phoneNumber" not in given["shippingAddress"]
    assert given["shippingOptionData"] == {"id": "slow"}
    given = buyer.data(**asked, shippingOptionParameters=options | {"defaultSelectedOptionId": "fast"})
    assert given["shippingOptionData"] == {"id": "fast"}


# Authorizations


def test_a_token_card_pays_at_once(buyer: Buyer, merchant: Merchant) -> None:
    answer = buyer.authorize(buyer.account(), clientSystemTransactionId="PAID-1").json
    record = merchant.record("PAID-1")
    assert (answer["id"], answer["providerStateCode"]) == (record["id"], "CapturedByProvider")
    assert (record["type"], record["state"], record["transactionAmount"]) == ("ecom.sale", "Approved", 10.0)
    assert record["apmDetails"]["apmPayerAccountNumber"] == "************1111"


def test_a_pre_authorization_can_be_captured_and_refunded(buyer: Buyer, merchant: Merchant) -> None:
    kind = {"type": "ecom.preauthorization", "clientSystemTransactionId": "HELD-1"}
    assert buyer.authorize(buyer.account(), **kind).json["providerStateCode"] == "AuthorizedByProvider"
    record = merchant.record("HELD-1")
    assert record["type"] == "ecom.preauthorization"
    assert record["apmDetails"]["billingAddress"]["city"]
    assert merchant.capture(new_reference(), "HELD-1", "6.00").json["state"] == "Approved"
    assert merchant.refund(new_reference(), "HELD-1", "6.00").json["state"] == "Approved"


@every(
    ("card", "changes", "code"),
    [
        ("CRYPTOGRAM_3DS", {"cryptogram": None}, "4400018"),
        ("CRYPTOGRAM_3DS", {"eciIndicator": None}, "4400018"),
        ("CRYPTOGRAM_3DS", {"cryptogram": OTHER_CRYPTOGRAM}, "4400020"),
        ("CRYPTOGRAM_3DS", {"eciIndicator": "07"}, "4400020"),
        ("CRYPTOGRAM_3DS", {"threeDSecure": PROOF}, "4400016"),
        ("CRYPTOGRAM_3DS", {"cryptogram": None, "eciIndicator": None, "threeDSecure": PROOF}, "4400016"),
        ("PAN_ONLY", {}, "4400015"),
        ("PAN_ONLY", {"cryptogram": OTHER_CRYPTOGRAM, "threeDSecure": PROOF}, "4400019"),
        ("PAN_ONLY", {"eciIndicator": "05", "redirectDetails": REDIRECTS}, "4400019"),
        *(
            ("PAN_ONLY", {"threeDSecure": PROOF | {"transactionStatus": status}}, "4400017")
            for status in "CNRUI"
        ),
        *(
            ("CRYPTOGRAM_3DS", {name: wrong}, "4107940")
            for name, wrong in (
                ("amount", "1,00"),
                ("type", "ecom.capture"),
                ("transactionMethod", "x"),
                ("cryptogram", "x"),
            )
        ),
    ],
)
def test_each_kind_of_card_has_its_own_proof_and_nothing_else(
    buyer: Buyer, card: str, changes: dict[str, Any], code: str
) -> None:
    result = buyer.account(card)
    answer = buyer.authorize(result, **changes)
    assert (answer.status, answer.code) == (400, code)
    if code == "4107940":
        assert next(iter(changes)) in answer.message
    proof = {"threeDSecure": PROOF} if card == "PAN_ONLY" else {}
    assert buyer.authorize(result, **proof).json["state"] == "Approved"
    used_up = buyer.authorize(result, **proof)
    assert (used_up.status, used_up.code) == (409, "4409009")


@every("status", ["Y", "A"])
def test_an_authentication_of_the_shops_own_pays_at_once(buyer: Buyer, status: str) -> None:
    proof = PROOF | {"transactionStatus": status}
    answer = buyer.authorize(buyer.account("PAN_ONLY"), threeDSecure=proof, redirectDetails=REDIRECTS)
    assert answer.json["state"] == "Approved"
    assert "redirectUrl" not in answer.json


def test_one_token_makes_one_account_and_one_account_one_payment(
    buyer: Buyer, control: SandboxControl
) -> None:
    data = buyer.data()
    buyers = [Buyer(Merchant(control.base_url), control) for _ in range(6)]
    for one in buyers:
        one.keys = buyer.keys
    with ThreadPoolExecutor(6) as pool:
        created = list(pool.map(lambda one: one.create(data), buyers))
        (result,) = [answer.json for answer in created if answer.status == 200]
        paid = list(pool.map(lambda one: one.authorize(result), buyers))
    assert [answer.status for answer in created].count(400) == 5
    assert sorted(answer.status for answer in paid) == [200, 409, 409, 409, 409, 409]
    for one in buyers:
        one.merchant.close()


# 3-D Secure


@every(
    ("outcome", "to", "state"),
    [
        ("success", "success", "Approved"),
        ("failed", "refused", "Errored"),
        ("abandoned", "cancel", "Pending"),
    ],
)
def test_a_plain_card_waits_for_its_customer_who_leaves_the_page_once(
    buyer: Buyer, merchant: Merchant, control: SandboxControl, outcome: str, to: str, state: str
) -> None:
    answer = buyer.pending(outcome).json
    assert (answer["state"], answer["providerStateCode"]) == ("Pending", "PendingAtProvider")
    assert answer["redirectUrl"].startswith(f"{merchant.base_url}/three-d-secure/")
    assert merchant.record(outcome)["state"] == "Pending"
    assert control.complete_three_d_secure(outcome, outcome) == back_at(to)
    assert merchant.record(outcome)["state"] == state
    with pytest.raises(SandboxRefused, match="AuthenticationUsedUp") as refused:
        control.complete_three_d_secure(outcome, "failed")
    assert refused.value.status == 409


@every("abandoned", [True, False])
def test_who_does_not_come_back_has_abandoned_it(
    buyer: Buyer, merchant: Merchant, control: SandboxControl, abandoned: bool
) -> None:
    control.reset()
    buyer = Buyer(merchant, control)
    buyer.pending("P-1")
    if abandoned:
        control.complete_three_d_secure("P-1", "abandoned")
    control.advance_clock(840)
    assert merchant.record("P-1")["state"] == "Pending"
    control.advance_clock(61)
    assert merchant.record("P-1")["state"] == "Errored"
    with pytest.raises(SandboxRefused) as refused:
        control.complete_three_d_secure("P-1", "success")
    assert refused.value.status == 409


def test_a_pending_authorization_uses_the_account_and_a_failed_one_does_not(
    buyer: Buyer, control: SandboxControl
) -> None:
    result = buyer.account("PAN_ONLY")
    paying = {"redirectDetails": REDIRECTS, "clientSystemTransactionId": "WAITS"}
    assert buyer.authorize(result, **paying).json["state"] == "Pending"
    assert buyer.authorize(result, threeDSecure=PROOF).code == "4409009"
    control.complete_three_d_secure("WAITS", "failed")
    assert buyer.authorize(result, threeDSecure=PROOF).json["state"] == "Approved"


@every("reference", ["PAID-1", "NEVER"])
def test_a_payment_without_a_check_has_no_page(buyer: Buyer, control: SandboxControl, reference: str) -> None:
    buyer.authorize(buyer.account(), clientSystemTransactionId="PAID-1")
    with pytest.raises(SandboxRefused) as refused:
        control.complete_three_d_secure(reference, "success")
    assert refused.value.status == 404


# What is kept


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[tuple[SandboxControl, Path]]:
    """A sandbox with a database file of its own."""
    file = tmp_path / "sandbox.sqlite3"
    with SandboxServer("--database", str(file)) as server:
        yield server.control, file


def test_no_number_cryptogram_or_key_is_kept_in_the_open(kept: tuple[SandboxControl, Path]) -> None:
    control, file = kept
    with Merchant(control.base_url) as merchant:
        buyer = Buyer(merchant, control)
        token, plain = buyer.account(), buyer.account("PAN_ONLY")
        buyer.look_up(token["transactionAccountId"])
        buyer.authorize(plain, redirectDetails=REDIRECTS)
        control.fault("authorization", "late", seconds=600)
        with pytest.raises(ConnectionError):
            buyer.authorize(token)
        buyer.authorize(token, cryptogram=OTHER_CRYPTOGRAM)
        data = buyer.data()
        data["paymentMethodData"]["tokenizationData"]["token"] = "x"
        buyer.create(data, pan="4012888888881881")
    with closing(sqlite3.connect(file)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        rows = [row for name in names for row in database.execute(f'SELECT * FROM "{name}"')]
    everything = json.dumps(control.journal()) + repr(rows)
    secrets = [token["cryptogram"], OTHER_CRYPTOGRAM, buyer.keys["apiKey"], buyer.keys["encryptionKey"]]
    secrets += ["4111111111111111", "4012888888881881"]
    assert [secret for secret in secrets if secret in everything] == []
    assert "transactionAccountId" in everything


def test_a_failure_of_the_sandbox_is_said_to_be_one(kept: tuple[SandboxControl, Path]) -> None:
    control, file = kept
    control.reset()
    with closing(sqlite3.connect(file)) as database:
        for table in ("wallet_sandbox_checkout", "wallet_sandbox_journalentry"):
            database.execute(f"ALTER TABLE {table} RENAME TO {table}_away")
    with Merchant(control.base_url) as merchant:
        for path, media in (
            ("/api/v5/apmTransactions", "application/json"),
            ("/_sandbox/journal", "application/json"),
            ("/", "text/plain; charset=utf-8"),
            ("/checkout/x/", "text/plain; charset=utf-8"),
        ):
            answer = merchant.send("GET", path)
            assert (answer.status, answer.headers["content-type"]) == (500, media), path
            assert b"The sandbox itself failed" in answer.body
            assert b"Traceback" not in answer.body
