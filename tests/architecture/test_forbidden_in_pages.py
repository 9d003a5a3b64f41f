"""What must not stand in templates and in the scripts of pages, each with the accident it prevents."""

from __future__ import annotations

import re

from tests.architecture.sources import ROOT
from tests.tables import every

FOLDERS = ("wallet_gateway", "example_project")
INLINE = re.compile(
    r"<style[\s>]|\sstyle\s*=\s*[\"']|\son[a-z]+\s*=\s*[\"']|javascript:|<script(?![^>]*\bsrc=)[^>]*>", re.I
)
FORBIDDEN_IN_SCRIPTS = [
    # A comparison of what two pages show reads it, which is no danger.
    (r"\.(?:inner|outer)HTML\s*\+?=(?!=)", "text of others would become markup"),
    (r"\binsertAdjacentHTML\b|\bdocument\.write(?:ln)?\b|\bsrcdoc\b|\bsetHTMLUnsafe\b", "as above"),
    (r"\bcreateContextualFragment\b", "as above"),
    (r"\beval\s*\(|\bnew\s+Function\b|\bset(?:Timeout|Interval)\s*\(\s*[\"'`]", "text would become code"),
    (
        r"\blocalStorage\b|\bdocument\.cookie\s*=(?!=)",
        "what a browser keeps, the next person reads",
    ),
    (r"\bpostMessage\([^()]*,\s*[\"']\*[\"']", "a message to whoever is there"),
]


def _files(ending: str) -> list[str]:
    paths = (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob(f"*{ending}")))
    return [path.relative_to(ROOT).as_posix() for path in paths if "vendor" not in path.parts]


def _found(pattern: str | re.Pattern[str], name: str) -> list[str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return [f"{name}:{text[: match.start()].count(chr(10)) + 1}" for match in re.finditer(pattern, text)]


@every("name", _files(".html"))
def test_a_template_has_no_inline_script_or_style(name: str) -> None:
    assert not _found(INLINE, name), "a strict content security policy must not need an exception for us"


@every("name", _files(".html"))
def test_a_template_escapes_what_it_prints(name: str) -> None:
    assert not _found(r"\|\s*(?:safe|safeseq|escapejs)\b|\bautoescape\s+off\b", name)


@every("name", [*_files(".html"), *_files(".css"), *_files(".js")])
def test_a_page_loads_and_names_nothing_without_encryption(name: str) -> None:
    # The name of a namespace is no address.
    assert not _found(r"http://(?!www\.w3\.org/)", name)


@every(("pattern", "reason"), FORBIDDEN_IN_SCRIPTS)
def test_a_script_never_contains(pattern: str, reason: str) -> None:
    assert not [where for name in _files(".js") for where in _found(pattern, name)], reason
