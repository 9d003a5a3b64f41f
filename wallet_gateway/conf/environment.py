"""The setting `WALLET_GATEWAY` from environment variables, for a project's settings module.

Here names and types are read; whether the values are right is judged by the rules of the setting, as always.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from django.core.exceptions import ImproperlyConfigured
from environ import Env
from pydantic import TypeAdapter

from wallet_gateway.conf.fields import SETTING, Section, section_at, section_of, settings_in
from wallet_gateway.conf.model import Settings

_SEPARATOR = "__"
_PREFIX = f"{SETTING}{_SEPARATOR}"
_FILE = "_FILE"
_BOOLEAN = TypeAdapter(bool)
"""Reads `true`, `on`, `yes`, `1` and their opposites in any letter case."""
_Kinds = Collection[object]


def wallet_gateway_from_environment(defaults: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the value of `WALLET_GATEWAY`: the defaults, and over them what the environment says.

    Variables are named as the setting is nested, with two underscores between its levels:
    `WALLET_GATEWAY__PUBLIC_ORIGIN`, `WALLET_GATEWAY__GATEWAYS__DEFAULT__MERCHANT_ID`,
    `WALLET_GATEWAY__GATEWAYS__DEFAULT__WALLET__COUNTRY`. The alias of a gateway is read in small letters. A
    variable with `_FILE` behind its name holds the path of a file that has the value, as secrets are mounted.

    Lists are separated by commas. Dicts are `EUR=500.00,CHF=400.00`, or JSON that begins with a brace.
    An unknown name is kept, and reported by the system checks. Raises `ImproperlyConfigured` for a text that
    cannot be read as its setting's type, without the text, which may be a secret, and for two variables that
    set the same, such as one with and one without `_FILE`.
    """
    value = deepcopy(dict(defaults or {}))
    known: dict[tuple[str, ...], str] = {}
    for name in sorted(os.environ):
        if name.startswith(_PREFIX):
            place = _put(value, name)
            if place in known:
                raise ImproperlyConfigured(f"{known[place]} and {name} set the same; leave one of them out")
            known[place] = name
    return value


def _put(value: dict[str, Any], variable: str) -> tuple[str, ...]:
    """Write one variable's value to its place among the others; return the names that lead there."""
    names = variable.removeprefix(_PREFIX).split(_SEPARATOR)
    # Aliases of gateways are in small letters.
    *levels, last = [name.lower() if at == 1 else name for at, name in enumerate(names)]
    fields = settings_in(section_at(Settings, levels))
    known = {name: _kinds(field.annotation) for name, field in fields.items()}
    # A dotted path, if it is one text: a dict has a variable for each option.
    known |= {} if levels else {"GATEWAYS": {str}}
    for level in levels:
        inner = value.setdefault(level, {})
        if not isinstance(inner, dict):
            raise ImproperlyConfigured(f"{variable} has no place: {level} is not a dict")
        value = inner
    text = os.environ[variable]
    if last.endswith(_FILE) and last not in known:
        last = last.removesuffix(_FILE)
        try:
            text = Path(text).read_text(encoding="utf-8").rstrip("\r\n")
        except OSError as error:
            raise ImproperlyConfigured(f"{variable} names a file that cannot be read") from error
        except UnicodeDecodeError:
            # The cause would hold the file's octets.
            raise ImproperlyConfigured(f"{variable} names a file that is no text in UTF-8") from None
    kinds = known.get(last, ())
    value[last] = text
    for kind, read, expected in _READERS:
        # A client certificate is one path, or two of them.
        if kind in kinds and not (str in kinds and "," not in text):
            try:
                value[last] = read(text)
            except (ValueError, RecursionError):
                # The cause would quote the text.
                raise ImproperlyConfigured(f"{variable} is not {expected}") from None
            break
    return (*levels, last)


def _kinds(annotation: object) -> _Kinds:
    """Return the types that a setting may have."""
    kind = get_origin(annotation)
    if kind is Annotated:
        return _kinds(get_args(annotation)[0])
    if kind in {Union, UnionType}:
        return {each for one in get_args(annotation) for each in _kinds(one)}
    return {kind or (Section if section_of(annotation) else annotation)}


def _boolean(text: str) -> bool:
    return _BOOLEAN.validate_strings(text.strip())


def _section(text: str) -> object:
    """Return a dict, or what may stand for it: a number, True or False, or a text such as an address."""
    if text.lstrip().startswith("{"):
        return _dict(text)
    for read in (float, _boolean):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def _dict(text: str) -> dict[str, Any]:
    if text.lstrip().startswith("{"):
        return dict(json.loads(text, object_pairs_hook=_unique))
    return _unique([tuple(item.split("=", 1)) for item in Env.parse_value(text, list)])


def _unique(pairs: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    """Return a dict of these pairs; raises ValueError for one without a value, or a name given twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is given twice")
    return found


def _items(text: str) -> list[str]:
    return [item.strip() for item in Env.parse_value(text, list)]


_READERS: Sequence[tuple[type, Callable[[str], object], str]] = (
    (bool, _boolean, "one of true, on, yes, 1, false, off, no, 0"),
    (int, int, "a whole number"),
    (float, float, "a number"),
    (Section, _section, "a JSON object"),
    (dict, _dict, "a list such as EUR=500.00,CHF=400.00, or a JSON object"),
    (tuple, _items, "a list separated by commas"),
)
