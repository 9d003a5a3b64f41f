"""The keys of the wallet: renewed before they end, and what was sealed before still opens."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from wallet_gateway.sandbox.wallet.keys import ROOT_LIFETIME, SIGNER_LIFETIME, KeyRing

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_the_intermediate_key_is_renewed_two_days_before_it_ends() -> None:
    ring = KeyRing()
    first = ring.at(NOW)
    later = ring.at(NOW + timedelta(days=5, seconds=1))
    assert later.signer.signed_key != first.signer.signed_key
    assert later.root_document == first.root_document
    assert later.signer.expires_at == NOW + timedelta(days=5, seconds=1) + SIGNER_LIFETIME


def test_the_root_key_is_renewed_a_year_before_it_ends_and_both_are_served() -> None:
    ring = KeyRing()
    first = ring.at(NOW)
    later = ring.at(NOW + ROOT_LIFETIME - timedelta(days=364))
    assert later.root_document["keys"][1:] == first.root_document["keys"]
    assert later.private_keys[1:] == first.private_keys
    assert later.signer.signed_key != first.signer.signed_key


def test_the_document_is_written_as_the_wallet_writes_its_own() -> None:
    (key,) = KeyRing().at(NOW).root_document["keys"]
    assert set(key) == {"keyValue", "protocolVersion", "keyExpiration"}
    assert key["protocolVersion"] == "ECv2"
    assert key["keyExpiration"] == str(int((NOW + ROOT_LIFETIME).timestamp() * 1000))
