"""The locale of a language code as Django writes it."""

from __future__ import annotations

from django.utils import translation

from tests.tables import every
from wallet_gateway.locales import active_locale, locale_of


@every(
    ("language", "locale"),
    [
        ("de", "de"),
        ("pt-br", "pt_BR"),
        ("zh-hans", "zh_Hans"),
        ("sr-latn", "sr_Latn"),
        ("es-xx", "es"),
        ("udm", "en"),
        ("xx-yy", "en"),
        ("", "en"),
        ("../de", "en"),
    ],
)
def test_a_language_code_names_a_locale_its_first_subtag_or_english(language: str, locale: str) -> None:
    assert str(locale_of(language)) == locale


def test_the_active_locale_is_that_of_djangos_active_language() -> None:
    with translation.override("fr"):
        assert str(active_locale()) == "fr"
    with translation.override(None):
        assert str(active_locale()) == "en"
