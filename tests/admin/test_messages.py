"""A refusal is a sentence in the reader's language, and every one that is translated is one that is said."""

from __future__ import annotations

from django.utils import translation

from tests.architecture.sources import sources
from tests.tables import every
from wallet_gateway.admin.messages import _SENTENCES, said


@every("sentence", _SENTENCES)
def test_each_sentence_is_said_somewhere_word_for_word(sentence: str) -> None:
    rooms = [*sources("wallet_gateway/domain"), *sources("wallet_gateway/operations")]
    assert any(f'"{sentence}"' in source.text for source in rooms)


@every("sentence", _SENTENCES)
@every("language", ["de", "fr", "es", "ar"])
def test_each_sentence_is_translated(sentence: str, language: str) -> None:
    with translation.override("en"):
        english = said(sentence)
    with translation.override(language):
        assert said(sentence) != english


def test_a_sentence_without_a_translation_is_said_as_it_is() -> None:
    assert said("only 7.50 EUR is left to refund") == "Only 7.50 EUR is left to refund."
    assert said("frozen\u202e.") == "Frozen\\u202e."
    assert said("") == ""
