"""Countries in the reader's language, and states from user input, both from ISO 3166."""

from __future__ import annotations

import gettext
import unicodedata
from functools import lru_cache

import pycountry
from django.core.exceptions import ValidationError
from django.utils.translation import get_language
from django.utils.translation import gettext as _

# Countries where an address needs the state.
STATE_REQUIRED = frozenset({"AUS", "BRA", "CAN", "CHN", "IND", "MEX", "MYS", "USA"})


def country_choices() -> list[tuple[str, str]]:
    """Return alpha-3 code and name of every country, sorted by name, in the language of the page."""
    return [("", _("Please choose")), *_countries((get_language() or "en").split("-")[0])]


def country_name(code: str) -> str:
    """Return a country's name in the language of the page, or the code if there is no such country.

    The wallet writes countries with two letters, the gateway with three.
    """
    found = pycountry.countries.get(alpha_2=code) if len(code) == 2 else None
    alpha_3: str = found.alpha_3 if found else code
    return dict(_countries((get_language() or "en").split("-")[0])).get(alpha_3, alpha_3)


def state_code(text: str, country: str) -> str:
    """Return the ISO 3166-2 code of a state given as `CA`, `US-CA` or `California`; empty for empty text.

    Raises `ValidationError` when the country has no such state, or needs one and none is given.
    """
    wanted = text.strip().casefold()
    if not wanted:
        if country in STATE_REQUIRED:
            raise ValidationError(_("Please give the state or province."), code="required")
        return ""
    for code, names in _states(country):
        if wanted in names:
            return code
    message = _(
        "“%(state)s” is no state or province of %(country)s. A code such as US-CA or a name is right."
    )
    raise ValidationError(message, code="unknown", params={"state": text, "country": country_name(country)})


@lru_cache(maxsize=8)
def _countries(language: str) -> tuple[tuple[str, str], ...]:
    translated = gettext.translation("iso3166-1", pycountry.LOCALES_DIR, languages=[language], fallback=True)
    named = [(country.alpha_3, _display_name(country, translated)) for country in pycountry.countries]
    return tuple(sorted(named, key=lambda pair: _sortable(pair[1])))


def _display_name(country: pycountry.db.Country, translated: gettext.NullTranslations) -> str:
    common = getattr(country, "common_name", country.name)
    by_common = translated.gettext(common)
    # Most lists translate the official name, some the common one.
    return by_common if by_common != common else translated.gettext(country.name)


def _sortable(name: str) -> str:
    """Return the name without accents, so that Österreich is sorted under O."""
    decomposed = unicodedata.normalize("NFKD", name.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


@lru_cache(maxsize=32)
def _states(alpha_3: str) -> tuple[tuple[str, frozenset[str]], ...]:
    country = pycountry.countries.get(alpha_3=alpha_3)
    if country is None:
        return ()
    states = [state for state in pycountry.subdivisions if state.country_code == country.alpha_2]
    return tuple((state.code, _ways_to_write(state.code, state.name)) for state in states)


def _ways_to_write(code: str, name: str) -> frozenset[str]:
    return frozenset({code.casefold(), code.split("-", 1)[1].casefold(), name.casefold()})
