"""Translations as they are written (.po), as they are shipped (.mo), and as the sources ask for them."""

from __future__ import annotations

import ast
import gettext
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.utils.translation.template import templatize

PACKAGE = Path(__file__).resolve().parent.parent.parent / "wallet_gateway"
LOCALE = PACKAGE / "locale"
LANGUAGES = ("de", "fr", "es", "ar")
OTHER_PARTIES = {"sandbox", "testing"}

_FIELD = re.compile(r'(msgctxt|msgid|msgid_plural|msgstr(?:\[\d+\])?) (".*")')
_TEXT_FUNCTIONS = {"_": 0, "gettext": 0, "gettext_lazy": 0, "pgettext": 1, "pgettext_lazy": 1}
# What Django's own extraction writes for a template: calls with literal texts, between filler.
_CALL = re.compile(
    r"""(?<![A-Za-z])(p?gettext|_)\(\s*((?:u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\s*,?\s*)+)\)"""
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text to be translated, with the context that tells it from the same words elsewhere."""

    words: str
    context: str = ""


def written(language: str) -> dict[Text, str]:
    """Every text of a .po file with its translation; refuses a fuzzy, an obsolete and a repeated entry."""
    source = (LOCALE / language / "LC_MESSAGES" / "django.po").read_text(encoding="utf-8")
    assert "#, fuzzy" not in source
    assert "#~" not in source
    found: dict[Text, str] = {}
    for block in source.split("\n\n"):
        fields = _fields(block)
        if "msgid" in fields:
            text = Text(words=fields["msgid"], context=fields.get("msgctxt", ""))
            assert text not in found, f"{text} is there twice"
            found[text] = fields["msgstr"]
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
        catalog: dict[str, str] = gettext.GNUTranslations(stream)._catalog  # type: ignore[attr-defined]
    found = {}
    for key, translation in catalog.items():
        context, _, words = key.rpartition("\x04")
        found[Text(words=words, context=context)] = translation
    return found


def asked_for() -> set[Text]:
    """Every text that the Python files and the templates of the merchant's rooms want translated."""
    return {*_of_python(), *_of_templates()}


def _sources(pattern: str) -> Iterator[Path]:
    for path in sorted(PACKAGE.rglob(pattern)):
        if path.relative_to(PACKAGE).parts[0] not in OTHER_PARTIES:
            yield path


def _of_python() -> Iterator[Text]:
    for path in _sources("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _TEXT_FUNCTIONS:
                position = _TEXT_FUNCTIONS[node.func.id]  # type: ignore[attr-defined]
                texts = [str(argument.value) for argument in node.args if isinstance(argument, ast.Constant)]
                yield Text(words=texts[position], context=texts[0] if position else "")


def _of_templates() -> Iterator[Text]:
    for path in _sources("*.html"):
        for match in _CALL.finditer(templatize(path.read_text(encoding="utf-8"), origin=str(path))):
            texts = ast.literal_eval(f"({match[2].rstrip().rstrip(',')},)")
            context = texts[0] if match[1] == "pgettext" else ""
            yield Text(words=texts[-1], context=context)
