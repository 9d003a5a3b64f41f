"""Keeping what must be recognised without keeping it: a hash of each secret."""

from __future__ import annotations

import hashlib
import hmac


def fingerprint(secret: str) -> str:
    """Give the SHA-256 of a text, in hexadecimal; for secrets too random to be guessed from it."""
    return hashlib.sha256(secret.encode()).hexdigest()


def matches(secret: str, known: str) -> bool:
    """Tell in constant time whether a secret has the known fingerprint."""
    return hmac.compare_digest(fingerprint(secret), known)
