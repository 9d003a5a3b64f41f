"""The public key service: what it issues, and that the books hold nothing of it."""

from __future__ import annotations

from datetime import datetime, timedelta

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
