"""What the wallet's tables refuse, and what they never show."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.apps import apps
from django.db import models

from tests.models.rows import NOW
from wallet_gateway.models import WalletKey

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def test_keys_are_columns_of_octets_that_no_text_of_a_row_shows() -> None:
    key = WalletKey.objects.create(
        gateway="default",
        api_key=b"ciphertext-1",
        encryption_key=b"ciphertext-2",
        fetched_at=NOW,
        expires_at=NOW + timedelta(hours=1),
    )
    key.refresh_from_db()
    assert bytes(key.api_key) == b"ciphertext-1"
    assert "ciphertext" not in repr(key) + str(key)
    assert not WalletKey._meta.get_field("api_key").editable


def test_no_column_for_a_card_takes_a_whole_number() -> None:
    for model in apps.get_app_config("wallet_gateway").get_models():
        for field in model._meta.get_fields():
            if isinstance(field, models.CharField) and "card" in field.name:
                assert field.max_length is None or field.max_length < 13 or field.name == "card_network"
