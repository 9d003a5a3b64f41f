"""The languages a sandbox page can speak, and which one a page should; the words are in ``locale``."""

from __future__ import annotations

import re
from typing import Final

from django.utils.translation.trans_real import parse_accept_lang_header

LANGUAGES: Final = ("en", "de", "fr", "es", "ar")
DEFAULT_LANGUAGE: Final = "en"
RIGHT_TO_LEFT: Final = frozenset({"ar"})

# A language tag starts with its primary subtag; shops write the rest with a hyphen or with an underscore.
_PRIMARY_SUBTAG = re.compile(r"\A\s*([A-Za-z]{2,8})(?:[-_.@].*)?\s*", re.DOTALL)


def page_language(asked: str | None) -> str:
    """The page's language for a checkout's ``language``: ``de``, ``de-DE``, ``de_DE``; English if unknown."""
    match = _PRIMARY_SUBTAG.fullmatch(asked or "")
    primary = match[1].lower() if match else ""
    return primary if primary in LANGUAGES else DEFAULT_LANGUAGE


def browser_language(accept_language: str) -> str:
    """The first language of an ``Accept-Language`` header that a page can speak; English if there is none."""
    for tag, _quality in parse_accept_lang_header(accept_language):
        primary = tag.split("-")[0]
        if primary in LANGUAGES:
            return primary
    return DEFAULT_LANGUAGE


def direction(language: str) -> str:
    """The writing direction of a language, as the `dir` attribute wants it."""
    return "rtl" if language in RIGHT_TO_LEFT else "ltr"
