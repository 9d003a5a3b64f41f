"""No regular expression of the package takes more than linear time, whatever text it is applied to.

A text that another party sends may have a mebibyte, and `re` lets no other thread run meanwhile. Patterns are
those that modules hold or hand to `re`; each is tried on repeats of its own characters and of its matches.
"""

from __future__ import annotations

import ast
import functools
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.validators import RegexValidator
from django.urls import get_resolver

from tests.architecture.sources import PACKAGE, ROOT
from tests.support.processor_time import LARGE, MIDDLE, SECONDS_A_CHARACTER, SMALL, grows_too_fast, seconds
from tests.support.tables import every

URLCONFS = ("tests.urls", "wallet_gateway.sandbox.urls")
ALWAYS = [
    '"',
    "\\",
    '"\\',
    '\\"',
    "a@",
    "a.",
    "4 ",
    "1.",
    " ",
    "\t ",
    "[{",
    "<>",
    "%20",
    "x",
    "1",
    "A1",
    "b.",
]


def patterns() -> dict[str, re.Pattern[str]]:
    """Every pattern that a module holds, that is written out in a call of `re`, or that an address has."""
    found = [part.pattern.regex for name in URLCONFS for part in below(get_resolver(name))]
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if not re.search(r"\bre\.|\bPattern\b|RegexValidator", text):
            continue
        names = vars(importlib.import_module(module_of(path)))
        found += [pattern for value in names.values() for pattern in held(value)]
        for call in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)):
            if ast.unparse(call.func).startswith("re.") and call.args:
                try:
                    value = eval(ast.unparse(call.args[0]), dict(names))
                except NameError:  # it depends on an argument
                    continue
                found.append(re.compile(value) if isinstance(value, str) else value)
    return {one.pattern: one for one in found if isinstance(one, re.Pattern) and isinstance(one.pattern, str)}


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def below(part: Any) -> Iterator[Any]:  # noqa: ANN401  Django's resolver or one of its addresses
    yield part
    for inner in getattr(part, "url_patterns", ()):
        yield from below(inner)


def held(value: object, depth: int = 3) -> Iterator[Any]:
    if isinstance(value, re.Pattern | RegexValidator):
        yield getattr(value, "regex", value)
    elif depth and isinstance(value, dict | list | tuple | set | frozenset):
        for part in (*value, *(value.values() if isinstance(value, dict) else ())):
            yield from held(part, depth - 1)


def hostile(pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    """Blocks to repeat, each with what ends the text: characters of the pattern, and pairs of them."""
    letters = list(dict.fromkeys(re.sub(r"\\[A-Za-z]|\W(?<=[()?*+|^$])", "", pattern.pattern)))[:6]
    blocks = [*ALWAYS, *letters, *(a + b for a in letters for b in letters if a != b)]
    return [(block, end) for block in dict.fromkeys(blocks) for end in ("", "\0")]


def fault_of(pattern: re.Pattern[str]) -> str:
    """Say by which text a pattern takes too long; nothing where it is linear.

    `sub` begins with a `search` and goes on to the end of the text, so it takes as long as that at least.
    """

    def text_of(block: str, end: str, size: int) -> str:
        return block * (size // len(block)) + end

    for way in (pattern.fullmatch, lambda text: pattern.sub("", text)):
        took: dict[tuple[str, str], float] = {}
        for block, end in hostile(pattern):
            repeated = functools.partial(text_of, block, end)
            took[block, end] = seconds(way, repeated, MIDDLE)
            if took[block, end] > MIDDLE * SECONDS_A_CHARACTER and grows_too_fast(
                way, repeated, SMALL, MIDDLE
            ):
                return f"{pattern.pattern!r} on {block!r}"
        block, end = max(took, key=took.__getitem__)
        if grows_too_fast(way, functools.partial(text_of, block, end), MIDDLE, LARGE):
            return f"{pattern.pattern!r} on 64 KiB of {block!r}"
    return ""


def test_no_pattern_takes_more_than_linear_time() -> None:
    found = patterns()
    assert len(found) > 60
    faults = [fault for pattern in found.values() if (fault := fault_of(pattern))]
    assert not faults, "\n".join(faults)


@every(
    "source",
    [
        r"([\w.%+-])[\w.%+-]*+@([\w-]+(?:\.[\w-]+)+)",
        r"[+-]?[0-9.]+e[+-]?[0-9]+",
        r"\s+$",
        r"(x|xx)+y",
    ],
)
def test_a_pattern_that_takes_longer_is_found(source: str) -> None:
    assert fault_of(re.compile(source))
