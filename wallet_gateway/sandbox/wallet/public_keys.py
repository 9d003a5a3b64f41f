"""The public key service: issue keys to a store, and check keys that requests carry."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Any, Final

from wallet_gateway.protocol.accounts import PublicKeyResponse
from wallet_gateway.protocol.endpoints import PUBLIC_KEY_SCHEME
from wallet_gateway.sandbox.db_transactions import write_lock
from wallet_gateway.sandbox.models import Merchant, PublicKey, hash_secret
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import RequestContext

LIFETIME: Final = timedelta(hours=1)
"""Lifetime of issued keys, by the sandbox's clock."""


def issue_public_key(context: RequestContext) -> dict[str, Any]:
    """Issue a pair of keys and return the public key response."""
    api_key, encryption_key = f"pk-{secrets.token_urlsafe(24)}", f"ek-{secrets.token_urlsafe(24)}"
    expires_at = (context.conditions.now + LIFETIME).replace(microsecond=0)
    with write_lock():
        PublicKey.objects.create(
            merchant=context.merchant,
            api_key_hash=hash_secret(api_key),
            encryption_key_hash=hash_secret(encryption_key),
            expires_at=expires_at,
        )
    return PublicKeyResponse.build(
        api_key=api_key, encryption_key=encryption_key, expires_at=expires_at.isoformat()
    ).to_wire()


def check_api_key(merchant: Merchant, api_key: str, *, now: datetime) -> None:
    """Check that a key of this store is valid; raises ``ApiKeyRefused`` or a related refusal."""
    if not api_key:
        raise Refusal("ApiKeyRefused", f"Send the header 'Authorization: {PUBLIC_KEY_SCHEME} <API_KEY>'.")
    key = PublicKey.objects.filter(api_key_hash=hash_secret(api_key)).first()
    if key is None:
        raise Refusal("ApiKeyRefused", "Nobody was issued this API key; ask the public key service for one.")
    if key.merchant_id != merchant.pk:
        raise Refusal("KeyOfAnother", "This API key was issued to another store.")
    if key.expires_at <= now:
        raise Refusal(
            "ApiKeyExpired", f"This API key worked until {key.expires_at.isoformat()}; ask for a new one."
        )


def check_encryption_key(merchant: Merchant, encryption_key: str, *, now: datetime) -> None:
    """Check that an encryption key of this store is valid; raises ``EncryptionKeyRefused``."""
    key = PublicKey.objects.filter(merchant=merchant, encryption_key_hash=hash_secret(encryption_key)).first()
    if key is None or key.expires_at <= now:
        raise Refusal(
            "EncryptionKeyRefused", "encryptionKeyId is not a working encryption key of this store."
        )
