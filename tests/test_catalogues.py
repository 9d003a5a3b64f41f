"""The words of all pages in every language: none is missing, and each fills in the values of the English."""

from __future__ import annotations

import re
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po
from django.utils import translation

from tests.support.tables import every

ROOT = Path(__file__).resolve().parent.parent
LOCALES = ("wallet_gateway/locale", "wallet_gateway/sandbox/locale", "example_project/shop/locale")
LANGUAGES = ("de", "fr", "es", "ar")
PLACEHOLDER = re.compile(r"%\([a-z_]+\)s|%[sd]|\{[a-z_]*\}|</?\w+[^>]*>|`[^`]*`")
"""What a translation repeats: values, elements, and words in code."""

each_catalogue = every("language", LANGUAGES)
each_locale = every("locale", LOCALES)


def written(locale: str, language: str) -> Catalog:
    with (ROOT / locale / language / "LC_MESSAGES" / "django.po").open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


def forms(message: Message) -> list[str]:
    """Return what a message is translated with, in each of its forms."""
    return [message.string] if isinstance(message.string, str) else list(message.string or ())


def english(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[-1]


@each_locale
@each_catalogue
def test_no_translation_is_missing_doubtful_or_left_over(locale: str, language: str) -> None:
    catalogue = written(locale, language)
    lacking = [message.id for message in catalogue if message.fuzzy or not all(forms(message))]
    assert lacking == []
    assert not catalogue.obsolete
    assert {len(forms(m)) for m in catalogue if m.pluralizable} <= {catalogue.num_plurals}
    assert catalogue.num_plurals == (6 if language == "ar" else 2)


@each_locale
@each_catalogue
def test_a_translation_fills_in_the_same_values_in_the_same_markup(locale: str, language: str) -> None:
    for message in written(locale, language):
        if message.id:
            # The forms for one and for two may say the number in words.
            expected = sorted(PLACEHOLDER.findall(english(message)))
            assert sorted(PLACEHOLDER.findall(forms(message)[-1])) == expected, message.id


@each_catalogue
def test_no_text_of_a_customers_page_brings_markup_or_a_quote_that_ends_an_attribute(language: str) -> None:
    for message in written(LOCALES[0], language):
        if message.id:
            for form in forms(message):
                assert not set('<>"&') & set(PLACEHOLDER.sub("", form)), message.id


@each_locale
@each_catalogue
def test_the_compiled_file_says_what_the_readable_one_says(locale: str, language: str) -> None:
    with (ROOT / locale / language / "LC_MESSAGES" / "django.mo").open("rb") as file:
        compiled = {(m.context, english(m)): forms(m) for m in read_mo(file) if m.id}
    readable = {(m.context, english(m)): forms(m) for m in written(locale, language) if m.id}
    assert compiled == readable, "run: make messages"


@each_catalogue
def test_the_sentence_that_keeps_people_from_paying_twice_is_in_every_language(language: str) -> None:
    words = {"de": "nicht noch einmal", "fr": "ne pas payer", "es": "no vuelva a pagar", "ar": "عدم الدفع"}
    with translation.override(language):
        sentence = translation.gettext("We are checking a payment for this order. Please do not pay again.")
    assert words[language] in sentence
