"""No regular expression of the package takes more than linear time, whatever text it is applied to.

A text that another party sends may have a mebibyte, and `re` lets no other thread run meanwhile. Patterns are
those that modules hold or hand to `re`; each is tried on repeats of its own characters and of its matches.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from typing import Any

from django.core.validators import RegexValidator
from django.urls import get_resolver

from tests.architecture.sources import sources
from tests.processor_time import BIG, LARGE, MIDDLE, SMALL, grows_too_fast, seconds
from tests.tables import every

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
    for source in sources("wallet_gateway"):
        names = vars(importlib.import_module(source.module))
        found += [pattern for value in names.values() for pattern in held(value)]
        for call in source.calls():
            if ast.unparse(call.func).startswith("re.") and call.args:
                try:
                    value = eval(ast.unparse(call.args[0]), dict(names))
                except NameError:  # it depends on an argument
                    continue
                found.append(re.compile(value) if isinstance(value, str) else value)
    return {one.pattern: one for one in found if isinstance(one, re.Pattern) and isinstance(one.pattern, str)}


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

    tried = hostile(pattern)
    for way in (pattern.fullmatch, lambda text: pattern.sub("", text)):
        for block, end in tried:
            if grows_too_fast(way, lambda size, b=block, e=end: text_of(b, e, size), SMALL, MIDDLE):  # type: ignore[misc]
                return f"{pattern.pattern!r} on {block!r}"
        slowest = max(tried, key=lambda one: seconds(way, lambda size: text_of(one[0], one[1], size), MIDDLE))
        if grows_too_fast(way, lambda size: text_of(slowest[0], slowest[1], size), LARGE, BIG):  # noqa: B023
            return f"{pattern.pattern!r} on a mebibyte of {slowest[0]!r}"
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
        r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+|"',
        r"[+-]?[0-9.]+e[+-]?[0-9]+",
        r"\s+$",
        r"<.*>",
        r"(a+)+$",
        r"(x|xx)+y",
    ],
)
def test_a_pattern_that_takes_longer_is_found(source: str) -> None:
    assert fault_of(re.compile(source))
