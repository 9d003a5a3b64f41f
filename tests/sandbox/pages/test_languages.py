"""Which language a page speaks."""

from __future__ import annotations

import pytest

from tests.tables import every
from wallet_gateway.sandbox.pages.languages import LANGUAGES, browser_language, direction, page_language


@every("asked", ["de", "DE", "de-DE", "de_DE", "de-Latn-CH", "de_CH.UTF-8", " de-AT "])
def test_every_way_of_writing_german_is_german(asked: str) -> None:
    assert page_language(asked) == "de"


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_is_understood_alone_and_with_a_region(language: str) -> None:
    assert page_language(language) == language
    assert page_language(f"{language}-XX") == language


@every("asked", ["", None, "xx", "tlh", "german", "d", "-", "../de", "de/../x", "中文", "de" * 99])
def test_an_unknown_language_is_english(asked: str | None) -> None:
    assert page_language(asked) == "en"


@every(
    ("header", "language"),
    [
        ("", "en"),
        ("fr-CH, fr;q=0.9, en;q=0.8", "fr"),
        ("pl, ar;q=0.4, es;q=0.7", "es"),
        ("pl,zh;q=0.5", "en"),
        ("*", "en"),
        ("de;q=nonsense", "en"),
    ],
)
def test_a_browser_gets_the_first_of_its_languages_that_a_page_speaks(header: str, language: str) -> None:
    assert browser_language(header) == language


def test_arabic_alone_is_written_from_right_to_left() -> None:
    assert {language: direction(language) for language in LANGUAGES} == {
        "en": "ltr",
        "de": "ltr",
        "fr": "ltr",
        "es": "ltr",
        "ar": "rtl",
    }
