"""What must not be written in templates, scripts and code, each with the accident it prevents."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.architecture.sources import ROOT
from tests.support.tables import every

SHIPPED = "wallet_gateway example_project"
MONEY = " ".join(
    f"wallet_gateway/{room}" for room in ("protocol", "domain", "models", "operations", "payments")
)
FORBIDDEN = {
    "a strict content security policy must not need an exception for us": (
        SHIPPED,
        ".html",
        r"<style[\s>]|\sstyle\s*=\s*[\"']|\son[a-z]+\s*=\s*[\"']|javascript:|<script(?![^>]*\bsrc=)[^>]*>",
    ),
    "a template escapes what it prints": (
        SHIPPED,
        ".html",
        r"\|\s*(?:safe|safeseq|escapejs)\b|\bautoescape\s+off\b",
    ),
    # The text of format_html is not escaped, its arguments are.
    "text of the gateway is escaped": (
        SHIPPED,
        ".py",
        r"\b(?:mark_safe|format_html_join|SafeString)\(|\bformat_html\(\s*(?![\s\"'])",
    ),
    "text of others would become markup": (
        SHIPPED,
        ".js",
        # A comparison of what two pages show reads it, which is no danger.
        r"\.(?:inner|outer)HTML\s*\+?=(?!=)|\bdocument\.write(?:ln)?\b|\b(?:srcdoc|setHTMLUnsafe)\b",
    ),
    "so it would by these": (SHIPPED, ".js", r"\b(?:insertAdjacentHTML|createContextualFragment)\b"),
    "text would become code": (
        SHIPPED,
        ".js",
        r"\beval\s*\(|\bnew\s+Function\b|\bset(?:Timeout|Interval)\s*\(\s*[\"'`]",
    ),
    "what a browser keeps, the next person reads": (
        SHIPPED,
        ".js",
        r"\blocalStorage\b|\bdocument\.cookie\s*=(?!=)",
    ),
    "a message to whoever is there": (SHIPPED, ".js", r"\bpostMessage\([^()]*,\s*[\"']\*[\"']"),
    # The name of a namespace is no address.
    **{
        f"a page loads and names nothing without encryption ({ending})": (
            SHIPPED,
            ending,
            r"http://(?!www\.w3\.org/)",
        )
        for ending in (".html", ".css", ".js")
    },
    "0.1 + 0.2 is not 0.3; seconds are floats, amounts are not": (MONEY, ".py", r"(?<![\w.])float\("),
    "SQLite compares decimals as floats: amounts are whole minor units": (
        "wallet_gateway/models",
        ".py",
        r"^(?!.*seconds).*\b(?:FloatField|DecimalField)\(",
    ),
}


def found(folders: str, ending: str, pattern: str) -> Iterator[str]:
    for folder in folders.split():
        for path in sorted((ROOT / folder).rglob(f"*{ending}")):
            text = path.read_text(encoding="utf-8") if "vendor" not in path.parts else ""
            for match in re.finditer(pattern, text, re.IGNORECASE if ending == ".html" else re.MULTILINE):
                line = text[: match.start()].count("\n") + 1
                yield f"{path.relative_to(ROOT)}:{line}"


@every(("reason", "rule"), FORBIDDEN.items())
def test_nothing_is_written_that_invites_an_accident(reason: str, rule: tuple[str, str, str]) -> None:
    assert list(found(*rule)) == [], reason
