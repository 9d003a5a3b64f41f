"""Every address of a URLconf, with the parts of it that are filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RegexPattern

_CONVERTED = re.compile(r"<(?:\w+:)?(\w+)>")
_GROUP = re.compile(r"\(\?P<(\w+)>[^)]*\)")


@dataclass(frozen=True, slots=True)
class Address:
    """One pattern: its route as the URLconf has it, and the same with names in braces."""

    route: str
    template: str

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(re.findall(r"\{(\w+)\}", self.template))

    def path(self, values: Mapping[str, str]) -> str:
        """Fill in the parts, which are percent-encoded already."""
        return "/" + self.template.format_map(values)


def addresses_of(urlconf: str) -> list[Address]:
    """Return every address of a URLconf, those of what it includes too."""
    return list(_walk(get_resolver(urlconf).url_patterns, "", ""))


def _walk(patterns: list[URLPattern | URLResolver], route: str, template: str) -> Iterator[Address]:
    for part in patterns:
        longer, filled = route + str(part.pattern), template + _template(part)
        if isinstance(part, URLResolver):
            yield from _walk(part.url_patterns, longer, filled)
        else:
            yield Address(longer, filled)


def _template(part: URLPattern | URLResolver) -> str:
    text = str(part.pattern)
    if isinstance(part.pattern, RegexPattern):
        return _GROUP.sub(r"{\1}", text.removeprefix("^").removesuffix("$")).replace("\\.", ".")
    return _CONVERTED.sub(r"{\1}", text)
