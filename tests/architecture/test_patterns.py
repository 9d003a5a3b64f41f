"""No regular expression of the package takes more than linear time, whatever text it is applied to.

A text that another party sends may have a mebibyte, and `re` lets no other thread run meanwhile. The time of
the processor counts, so a busy machine makes nothing fail. Each text is tried in small first, and what takes
too long is interrupted.
"""

from __future__ import annotations

import re
from typing import Annotated

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from tests.architecture.hostile import texts
from tests.architecture.patterns import Found, patterns
from tests.architecture.sources import package
from tests.processor_time import BIG, LARGE, MIDDLE, SMALL, Way, grows_too_fast, seconds


def ways(found: Found) -> dict[str, Way]:
    """How a pattern can be applied; pydantic applies its own in one way.

    `sub` begins with a `search` and goes on to the end of the text, so it takes as long as that at least.
    """
    if found.is_pydantic:
        field: TypeAdapter[str] = TypeAdapter(Annotated[str, Field(pattern=found.source)])
        return {"pydantic": lambda text: _validated(field, text)}
    pattern = found.compiled
    return {"fullmatch": pattern.fullmatch, "search and sub": lambda text: pattern.sub("", text)}


def _validated(field: TypeAdapter[str], text: str) -> None:
    try:
        field.validate_python(text)
    except ValidationError:
        return


def fault_of(found: Found) -> str:
    """Say by which text and in which way a pattern takes too long; nothing where it is linear."""
    hostile = texts(found.source, found.flags)
    for name, way in ways(found).items():
        what = f"{found.where}: {name} of {found.source!r} on"
        for text in hostile:
            if grows_too_fast(way, text.of, SMALL, MIDDLE):
                return f"{what} {text}"
        slowest = max((seconds(way, text.of, MIDDLE), at) for at, text in enumerate(hostile))[1]
        if grows_too_fast(way, hostile[slowest].of, LARGE, BIG):
            return f"{what} a mebibyte of {hostile[slowest]}"
    return ""


def test_no_pattern_takes_more_than_linear_time() -> None:
    faults = [fault for found in patterns() if (fault := fault_of(found))]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    "source",
    [
        r"([\w.%+-])[\w.%+-]*+@([\w-]+(?:\.[\w-]+)+)",
        r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+|"',
        r"(?i)(authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?|bearer\s{1,4})(?=\S*[0-9]|\S{16})[^\s\"'<,;]+",
        r"""\bimport\b(?:[^"'();]*\bfrom)?\s*\(?\s*["'](\.{1,2}/[^"']+\.js)["']""",
        r"[+-]?[0-9.]+e[+-]?[0-9]+",
        r"\s+$",
        r"<.*>",
        r"(a+)+$",
        r"(x|xx)+y",
        r"^(\d+,?)*;$",
    ],
)
def test_a_pattern_that_takes_longer_is_found_by_texts_made_from_it(source: str) -> None:
    assert fault_of(Found("here", source))


def test_patterns_are_found_wherever_they_stand() -> None:
    by_source = {found.source: found for found in patterns()}
    assert r"V\d+$" in by_source, "within a function"
    assert r".+" in by_source, "the default of a parameter"
    assert r"mail" in by_source, "in a table"
    assert r"\A[!-~]+\Z" in by_source, "in a validator"
    assert r"^pay/(?P<token>[^/]+)/\Z" in by_source, "in an address"
    assert by_source["^[0-9]{1,2}$"].is_pydantic, "in a field of a message"


def test_patterns_are_made_in_no_way_that_would_not_be_found() -> None:
    hidden = [
        f"{source.name}:{line}"
        for source in package()
        for line, name in source.imported()
        if name.startswith("re.") or name.split(".")[0] in {"regex", "sre_compile", "sre_parse", "fnmatch"}
    ]
    assert not hidden


def test_a_text_has_the_size_that_is_asked_for() -> None:
    for hostile in texts(r"\bimport\s+(?:from|of)[^a-z]{1,3}(x|y)*?", re.IGNORECASE):
        assert MIDDLE * 0.9 <= len(hostile.of(MIDDLE)) <= MIDDLE * 1.1
