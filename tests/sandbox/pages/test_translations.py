"""The pages' words in every language: all there, well formed, and the compiled file is the readable one."""

from __future__ import annotations

import ast
import gettext
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.utils.translation.template import templatize

from tests.tables import every
from wallet_gateway import sandbox
from wallet_gateway.sandbox.pages.localization import DEFAULT_LANGUAGE, LANGUAGES

ROOM = Path(sandbox.__file__).parent
TRANSLATED = [language for language in LANGUAGES if language != DEFAULT_LANGUAGE]
PLACEHOLDER = re.compile(r"%\((\w+)\)s")
TAG = re.compile(r"</?\w+[^>]*>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One message of a .po file."""

    id: str
    plural: str | None
    forms: tuple[str, ...]
    fuzzy: bool


def entries(language: str) -> list[Entry]:
    text = (ROOM / "locale" / language / "LC_MESSAGES" / "django.po").read_text(encoding="utf-8")
    return [_entry(block) for block in text.strip().split("\n\n")]


def _entry(block: str) -> Entry:
    parts: dict[str, str] = {}
    keyword = ""
    for line in block.splitlines():
        if line.startswith("#"):
            continue
        if not line.startswith('"'):
            keyword, _, line = line.partition(" ")
            parts[keyword] = ""
        parts[keyword] += ast.literal_eval(line)
    forms = tuple(text for keyword, text in parts.items() if keyword.startswith("msgstr"))
    fuzzy = any(line.startswith("#,") and "fuzzy" in line for line in block.splitlines())
    return Entry(id=parts["msgid"], plural=parts.get("msgid_plural"), forms=forms, fuzzy=fuzzy)


def messages(language: str) -> list[Entry]:
    return [entry for entry in entries(language) if entry.id]


def catalogue(language: str) -> gettext.GNUTranslations:
    with (ROOM / "locale" / language / "LC_MESSAGES" / "django.mo").open("rb") as file:
        return gettext.GNUTranslations(file)


def in_python(source: str) -> Iterator[str]:
    names = {"_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy"}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in names:
            yield from (
                a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)
            )


def in_template(source: str) -> Iterator[str]:
    # Django turns a template into lines of calls such as `gettext('...')`; the rest is noise.
    for call in re.findall(
        r"n?gettext\(u?((?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[\s,u])+)", templatize(source)
    ):
        yield from (
            ast.literal_eval(text) for text in re.findall(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", call)
        )


def used() -> set[str]:
    python = (text for path in ROOM.rglob("*.py") for text in in_python(path.read_text(encoding="utf-8")))
    html = (text for path in ROOM.rglob("*.html") for text in in_template(path.read_text(encoding="utf-8")))
    return {*python, *html}


def test_the_search_for_words_finds_every_way_of_marking_them() -> None:
    template = (
        '{% load i18n %}{% translate "One" %}{% blocktranslate with a=b %}Two {{ a }}{% endblocktranslate %}'
        "{% blocktranslate count n=m %}{{ n }} cat{% plural %}{{ n }} cats{% endblocktranslate %}"
    )
    assert set(in_template(template)) == {"One", "Two %(a)s", "%(n)s cat", "%(n)s cats"}
    assert set(in_python('_("Three"); gettext_lazy("Four"); other("Five")')) == {"Three", "Four"}


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_word_of_the_pages_has_its_entry_and_no_entry_is_left_over(language: str) -> None:
    known = {text for entry in messages(language) for text in (entry.id, entry.plural) if text}
    assert known == used()


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_translation_is_missing_or_doubtful(language: str) -> None:
    lacking = [entry.id for entry in messages(language) if entry.fuzzy or not all(entry.forms)]
    assert not lacking


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_fills_in_the_same_values_in_the_same_markup(language: str) -> None:
    wrong = [
        (entry.id, form)
        for entry in messages(language)
        if entry.plural is None
        for form in entry.forms
        if sorted(PLACEHOLDER.findall(form)) != sorted(PLACEHOLDER.findall(entry.id))
        or sorted(TAG.findall(form)) != sorted(TAG.findall(entry.id))
    ]
    assert not wrong


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_form_for_large_numbers_names_the_number(language: str) -> None:
    # A language may say "one item" or "two items" without a numeral, but not "many items".
    nameless = [
        entry.id
        for entry in messages(language)
        if entry.plural and not PLACEHOLDER.search(catalogue(language).ngettext(entry.id, entry.plural, 100))
    ]
    assert not nameless


@pytest.mark.parametrize(("language", "count"), [("de", 2), ("fr", 2), ("es", 2), ("ar", 6)])
def test_every_plural_form_of_the_language_is_there(language: str, count: int) -> None:
    assert {len(entry.forms) for entry in messages(language) if entry.plural} == {count}


@every(
    ("language", "number", "expected"),
    [
        ("fr", 0, "encore %(times)s fois"),
        ("de", 0, "noch %(times)s Mal"),
        ("es", 2, "%(times)s veces más"),
        ("ar", 1, "مرة واحدة أخرى"),
        ("ar", 2, "مرتان أخريان"),
        ("ar", 7, "%(times)s مرات أخرى"),
        ("ar", 11, "%(times)s مرة أخرى"),
    ],
)
def test_a_number_takes_its_plural_form(language: str, number: int, expected: str) -> None:
    assert catalogue(language).ngettext("%(times)s more time", "%(times)s more times", number) == expected


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_compiled_file_says_what_the_readable_one_says(language: str) -> None:
    compiled = catalogue(language)
    held = {key: value for key, value in vars(compiled)["_catalog"].items() if key}
    readable: dict[object, str] = {}
    for entry in messages(language):
        if entry.plural is None:
            readable[entry.id] = entry.forms[0]
        else:
            readable |= {(entry.id, number): form for number, form in enumerate(entry.forms)}
    assert held == readable, "run: django-admin compilemessages"
