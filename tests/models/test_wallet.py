"""What the wallet's tables refuse, and what they never show."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import timedelta

import pytest
from django.apps import apps
from django.db import IntegrityError, models
from django.db import transaction as db_transaction

from tests.models.rows import NOW, a_transaction
from tests.support.tables import every
from wallet_gateway.domain.states import TransactionKind, TransactionState
from wallet_gateway.models import WalletKey
from wallet_gateway.models.transactions import STATES_WITH_SECRETS

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@every("state", sorted(TransactionState))
def test_a_cryptogram_is_kept_only_while_it_may_be_sent(state: TransactionState) -> None:
    refused = nullcontext() if state in STATES_WITH_SECRETS else pytest.raises(IntegrityError)
    with refused, db_transaction.atomic():
        a_transaction(kind=TransactionKind.AUTHORIZATION, state=state, wallet_secrets=b"ciphertext")


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
