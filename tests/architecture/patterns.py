"""Finds every regular expression of the package, wherever it stands, without a list of them.

The sources say where patterns are made; what stands there is evaluated in the imported module, so that a
pattern put together from names is found like one written out.
"""

from __future__ import annotations

import ast
import functools
import importlib
import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from django.core.validators import RegexValidator
from django.urls import URLPattern, URLResolver, get_resolver

from tests.architecture.sources import Source, package

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MAKERS = {"compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}
URLCONFS = ("tests.urls", "wallet_gateway.sandbox.urls")
OF_ARGUMENTS: Mapping[str, str] = MappingProxyType(
    {
        "wallet_gateway/protocol/cryptograms.py: _spellings_of": "_spellings_of('AAEC+/CQoLDA0O=')",
        "wallet_gateway/conformance/schemas.py: _compiled": "_compiled("
        "schema('status_records')['items']['properties']['transactionDateTime']['pattern'])",
    },
)
"""Functions whose patterns depend on their arguments: an expression that gives one."""


@dataclass(frozen=True)
class Found:
    """A pattern and where it stands; pydantic's own engine matches those of its fields."""

    where: str
    source: str
    flags: int = 0
    is_pydantic: bool = False

    @property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self.source, self.flags)


@functools.cache
def patterns() -> tuple[Found, ...]:
    """Every pattern of the package once, whatever it is called and wherever it is used."""
    found: dict[tuple[str, int, bool], Found] = {}
    for one in (*_in_sources(), *_in_modules(), *_in_addresses()):
        flags = one.flags if one.is_pydantic else one.compiled.flags
        found.setdefault((one.source, flags, one.is_pydantic), one)
    return tuple(found.values())


def _in_sources() -> Iterator[Found]:
    for source in package():
        for call in source.calls():
            if _is_of_re(call) or _name_of(call.func) == "RegexValidator":
                yield _evaluated(source, call.args[0], call)
            elif _name_of(call.func) in {"Field", "StringConstraints"}:
                for keyword in call.keywords:
                    if keyword.arg == "pattern":
                        yield _evaluated(source, keyword.value, call, is_pydantic=True)


def _is_of_re(call: ast.Call) -> bool:
    function = call.func
    return (
        isinstance(function, ast.Attribute) and _name_of(function.value) == "re" and function.attr in _MAKERS
    )


def _name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _evaluated(source: Source, pattern: ast.expr, call: ast.Call, *, is_pydantic: bool = False) -> Found:
    where, names = f"{source.name}:{call.lineno}", vars(importlib.import_module(source.module))
    try:
        text = _value(pattern, names)
        flags = sum(_value(node, names) for node in _flags_of(call))
    except NameError:
        compiled = eval(OF_ARGUMENTS[f"{source.name}: {_function_around(call, source)}"], dict(names))
        return Found(where, compiled.pattern, compiled.flags)
    return Found(where, text, int(flags), is_pydantic)


def _function_around(call: ast.Call, source: Source) -> str:
    functions = [node for node in ast.walk(source.tree) if isinstance(node, ast.FunctionDef)]
    return next(node.name for node in functions if any(inner is call for inner in ast.walk(node)))


def _flags_of(call: ast.Call) -> list[ast.expr]:
    return [
        *(keyword.value for keyword in call.keywords if keyword.arg == "flags"),
        *(call.args[1:] if _name_of(call.func) == "compile" else ()),
    ]


def _value(node: ast.expr, names: dict[str, Any]) -> Any:  # noqa: ANN401
    return eval(compile(ast.Expression(node), "pattern", "eval"), dict(names))


def _in_modules() -> Iterator[Found]:
    """What modules hold, made by whatever means: by themselves, in tables, as defaults of functions."""
    for source in package():
        for name, value in vars(importlib.import_module(source.module)).items():
            for pattern in _held(value, depth=4):
                yield Found(f"{source.name}: {name}", pattern.pattern, pattern.flags)


def _held(value: object, depth: int) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, RegexValidator):
        yield value.regex  # type: ignore[misc]  # compiled when it is first asked for
    elif depth and isinstance(value, (dict, MappingProxyType)):
        for part in (*value, *value.values()):
            yield from _held(part, depth - 1)
    elif depth and isinstance(value, (list, tuple, set, frozenset)):
        for part in value:
            yield from _held(part, depth - 1)
    elif depth and str(getattr(value, "__module__", "")).startswith("wallet_gateway"):
        attributes = vars(value).values() if isinstance(value, type) else _defaults(value)
        for part in tuple(attributes):
            yield from _held(part, depth - 1)


def _defaults(value: object) -> tuple[object, ...]:
    named = getattr(value, "__kwdefaults__", None) or {}
    return (*(getattr(value, "__defaults__", None) or ()), *named.values())


def _in_addresses() -> Iterator[Found]:
    for urlconf in URLCONFS:
        yield from _below(get_resolver(urlconf))


def _below(part: URLResolver | URLPattern) -> Iterator[Found]:
    regex = part.pattern.regex
    yield Found(f"address {part.pattern}", regex.pattern, regex.flags)
    for inner in getattr(part, "url_patterns", ()):
        yield from _below(inner)
