"""The words of the pages in five languages: nothing missing, nothing stale, nothing broken."""

from __future__ import annotations

import re

import pytest
from django.utils import translation

from tests.web.catalogs import LANGUAGES, LOCALE, Text, shipped, written

PLURALS = {"de": 2, "fr": 2, "es": 2, "ar": 6}
PLACEHOLDER = re.compile(r"%\([a-z_]+\)s|%[sd]|\{[a-z_]*\}")
HEADER = Text(words="")


CODE = re.compile(r"`[^`]*`")
MARKUP = re.compile(r"</?bdi>")
"""The one element inside a sentence: it keeps a number apart from words of the other direction."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_shipped_is_what_is_written(language: str) -> None:
    assert shipped(language) == written(language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_keeps_its_placeholders(language: str) -> None:
    for text, words in written(language).items():
        if text != HEADER:
            expected = PLACEHOLDER.findall(text.many or text.words)
            assert sorted(PLACEHOLDER.findall(words)) == sorted(expected), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_brings_no_markup_of_its_own_and_no_quote_that_ends_an_attribute(language: str) -> None:
    for text, words in written(language).items():
        if text != HEADER:
            assert MARKUP.findall(words) == MARKUP.findall(text.words), text
            assert not set('<>"&') & set(CODE.sub("", MARKUP.sub("", words))), text
            assert sorted(CODE.findall(words)) == sorted(CODE.findall(text.many or text.words)), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_ends_as_a_sentence_and_a_title_does_not(language: str) -> None:
    for text, words in written(language).items():
        if text != HEADER:
            assert words.endswith(".") is text.words.endswith("."), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalog_says_its_language_and_its_plurals(language: str) -> None:
    header = written(language)[HEADER]
    assert f"Language: {language}\n" in header
    assert f"nplurals={PLURALS[language]};" in header


def test_no_language_is_there_that_no_test_knows() -> None:
    assert {path.name for path in LOCALE.iterdir()} == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sentence_that_keeps_people_from_paying_twice_is_in_every_language(language: str) -> None:
    words = {"de": "nicht noch einmal", "fr": "ne pas payer", "es": "no vuelva a pagar", "ar": "عدم الدفع"}
    with translation.override(language):
        sentence = translation.gettext("We are checking a payment for this order. Please do not pay again.")
    assert words[language] in sentence
