"""What the wallet's tables refuse, and what they never show."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.apps import apps
from django.db import IntegrityError, models
from django.db import transaction as db_transaction

from tests.models.rows import NOW, a_transaction, a_wallet_attempt
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.models import WalletKey
from wallet_gateway.models.transactions import STATES_WITH_SECRETS
from wallet_gateway.models.wallet import MOST_RESULTS

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def test_one_account_pays_one_attempt() -> None:
    a_wallet_attempt(account_id="account-1")
    a_wallet_attempt(account_id="ACCOUNT-1")
    a_wallet_attempt(account_id=None)
    a_wallet_attempt(account_id=None)
    with pytest.raises(IntegrityError), db_transaction.atomic():
        a_wallet_attempt(account_id="account-1")
    a_wallet_attempt(account_id="account-1", gateway="other")


def test_one_transaction_has_one_browser() -> None:
    attempt = a_wallet_attempt()
    with pytest.raises(IntegrityError), db_transaction.atomic():
        a_wallet_attempt(attempt.transaction)


def test_a_reference_takes_five_results_and_no_sixth() -> None:
    attempt = a_wallet_attempt(results_count=MOST_RESULTS)
    attempt.results_count += 1
    with pytest.raises(IntegrityError), db_transaction.atomic():
        attempt.save()


@pytest.mark.parametrize("state", sorted(TransactionState))
def test_a_cryptogram_is_kept_only_while_it_may_be_sent(state: TransactionState) -> None:
    def make() -> None:
        a_transaction(kind=TransactionKind.AUTHORIZATION, state=state, wallet_secrets=b"ciphertext")

    if state in STATES_WITH_SECRETS:
        make()
        return
    with pytest.raises(IntegrityError), db_transaction.atomic():
        make()


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
