"""Recognising a secret without keeping it."""

from __future__ import annotations

from wallet_gateway.sandbox.hashing import fingerprint, matches


def test_a_fingerprint_tells_one_secret_from_all_others() -> None:
    known = fingerprint("secret")
    assert matches("secret", known)
    assert not matches("Secret", known)
    assert not matches("secret", "")


def test_a_fingerprint_fits_its_column_and_holds_nothing_of_the_secret() -> None:
    assert len(fingerprint("é" * 1000)) == 64
    assert "secret" not in fingerprint("secret")
