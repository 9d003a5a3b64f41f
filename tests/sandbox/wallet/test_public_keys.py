"""The public key service: what it issues, and that the books hold nothing of it."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from tests.sandbox.merchant import IDS, Merchant
from tests.sandbox.wallet_buyer import KEYS
from wallet_gateway.testing.control import SandboxControl


def test_keys_are_new_every_time_and_say_when_they_end(merchant: Merchant, control: SandboxControl) -> None:
    first, second = (merchant.post(KEYS, IDS).json for _ in range(2))
    assert set(first) == {"apiKey", "encryptionKey", "expiresAt"}
    assert len({first["apiKey"], second["apiKey"], first["encryptionKey"], second["encryptionKey"]}) == 4
    now = datetime.fromisoformat(control.advance_clock(0))
    assert timedelta(minutes=59) < datetime.fromisoformat(first["expiresAt"]) - now <= timedelta(hours=1)


def test_keys_are_masked_wherever_they_are_kept(merchant: Merchant, control: SandboxControl) -> None:
    keys = merchant.post(KEYS, IDS).json
    journal = str(control.journal())
    assert "publicKeys" in journal
    assert keys["apiKey"] not in journal
    assert keys["encryptionKey"] not in journal


@pytest.mark.parametrize("name", ["merchantId", "storeId", "userId"])
def test_every_id_is_needed(merchant: Merchant, name: str) -> None:
    answer = merchant.post(KEYS, {key: value for key, value in IDS.items() if key != name})
    assert (answer.status, answer.code) == (400, "4107940")
    assert name in answer.message


def test_letter_case_follows_the_behaviour(merchant: Merchant, control: SandboxControl) -> None:
    control.behaviour(letter_case="pascal")
    assert set(merchant.post(KEYS, IDS).json) == {"ApiKey", "EncryptionKey", "ExpiresAt"}
