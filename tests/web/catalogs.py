"""Translations as they are written (.po) and as they are shipped (.mo)."""

from __future__ import annotations

import ast
import gettext
import re
from dataclasses import dataclass, field
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent.parent / "wallet_gateway"
LOCALE = PACKAGE / "locale"
LANGUAGES = ("de", "fr", "es", "ar")

_FIELD = re.compile(r'(msgctxt|msgid|msgid_plural|msgstr(?:\[\d+\])?) (".*")')


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text to be translated, with the context that tells it from the same words elsewhere."""

    words: str
    context: str = ""
    many: str = field(default="", compare=False)
    """The form for many, of a text that has one."""


def written(language: str) -> dict[Text, str]:
    """Every text of a .po file with its translation; refuses a fuzzy, an obsolete and a repeated entry."""
    source = (LOCALE / language / "LC_MESSAGES" / "django.po").read_text(encoding="utf-8")
    assert "#, fuzzy" not in source
    assert "#~" not in source
    found: dict[Text, str] = {}
    for block in source.split("\n\n"):
        fields = _fields(block)
        if "msgid" in fields:
            many = fields.get("msgid_plural", "")
            text = Text(words=fields["msgid"], context=fields.get("msgctxt", ""), many=many)
            assert text not in found, f"{text} is there twice"
            # Of a plural the last form stands for all of them: the one for many.
            found[text] = fields.get("msgstr") or fields[max(name for name in fields if "msgstr" in name)]
    return found


def _fields(block: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    name = ""
    for line in block.splitlines():
        match = _FIELD.fullmatch(line)
        if match:
            name = match[1]
            fields[name] = ast.literal_eval(match[2])
        elif line.startswith('"'):
            fields[name] += ast.literal_eval(line)
    return fields


def shipped(language: str) -> dict[Text, str]:
    """Every text of a .mo file with its translation."""
    with (LOCALE / language / "LC_MESSAGES" / "django.mo").open("rb") as stream:
        catalog: dict[str | tuple[str, int], str] = gettext.GNUTranslations(stream)._catalog  # type: ignore[attr-defined]
    found = {}
    # The forms of a plural follow each other, and the last one stays.
    for named, translation in sorted(catalog.items(), key=str):
        key = named if isinstance(named, str) else named[0]
        context, _, words = key.rpartition("\x04")
        found[Text(words=words, context=context)] = translation
    return found
