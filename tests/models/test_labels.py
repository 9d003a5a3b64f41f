"""The names of states and kinds: one for each choice of each column, in every language."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.utils import translation

from tests.tables import every
from wallet_gateway.domain.lifecycle import OrderState, TransactionKind, TransactionState
from wallet_gateway.models.labels import label_of

pytestmark = pytest.mark.every_database

COLUMNS = [
    field
    for model in apps.get_app_config("wallet_gateway").get_models()
    for field in model._meta.get_fields()
    if getattr(field, "choices", None)
]
WORDS = {
    "de": {"Teilweise eingezogen", "Bezahlt", "Eingefroren"},
    "fr": {"Capturé en partie", "Payé", "Gelé"},
    "es": {"Cobrado en parte", "Pagado", "Congelado"},
    "ar": {"محصَّل جزئيًا", "مدفوع", "مجمّد"},
}


# Names that say more than the word of the code.
SPELLED = {
    "AWAITING_3DS": "Awaiting 3-D Secure",
    "AGREED": "Agreed to",
    "APPROVAL": "Agreed to",
    "ASK": "Question to the gateway",
    "AWAITING_APPROVAL": "Waits for a second person",
    "PRICES": "Price requests",
    "SESSIONS": "Browsers",
}


# Words that a language has from English, or English from it.
SHARED = {("fr", "Capture"), ("de", "Shop")}


@every("language", WORDS)
@every("column", COLUMNS, ids=str)
def test_no_choice_of_a_column_is_left_in_english(column: object, language: str) -> None:
    for value, name in column.choices:  # type: ignore[attr-defined]
        with translation.override("en"):
            english = str(name)
        with translation.override(language):
            translated = str(name)
        # A pause is told in a clause and a reason in words of its own, everything else by its name.
        if column.name not in {"pause_code", "reason_code"}:  # type: ignore[attr-defined]
            assert english == SPELLED.get(value, value.replace("_", " ").capitalize())
        assert translated != english or (language, english) in SHARED


@pytest.mark.parametrize("language", WORDS)
def test_a_state_is_named_in_the_language_of_the_reader(language: str) -> None:
    names = [label_of(state) for state in (OrderState.PART_CAPTURED, OrderState.PAID, OrderState.FROZEN)]
    with translation.override(language):
        assert {str(name) for name in names} == WORDS[language]


@every("member", [*TransactionState, *TransactionKind], ids=str)
def test_whatever_a_timeline_tells_of_has_a_name(member: TransactionState | TransactionKind) -> None:
    assert str(label_of(member))
