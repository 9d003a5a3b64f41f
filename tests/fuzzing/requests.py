"""Requests of somebody who means harm: one that is right, of which something is spoiled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from tests.fuzzing import hostile
from tests.fuzzing.addresses import Address


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request as it stands on the wire."""

    method: str = "GET"
    path: str
    query: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    seed: str = ""
    """The number that makes it again."""

    def __str__(self) -> str:
        query = f"?{self.query[:200]!r}" if self.query else ""
        headers = {name: value[:80] for name, value in self.headers.items()}
        path = self.path if len(self.path) < 200 else f"{self.path[:200]}…"
        return f"{self.method} {path}{query} {headers} {self.body[:300]!r} (seed {self.seed})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What a right request to one address looks like."""

    address: Address
    parts: Sequence[Mapping[str, str]] = ({},)
    """Right fillings of the address."""
    kind: str = "form"
    fields: Mapping[str, Any] = field(default_factory=dict)
    """A right form or message."""
    parameters: Sequence[str] = ()
    """Names in a query that the address knows."""
    headers: Mapping[str, str] = field(default_factory=dict)


def spoil(sample: Sample, seed: str) -> Request:
    """Make a request to an address that is wrong in one to three ways, always the same for one seed."""
    random = Random(f"{sample.address.route} {seed}")
    request = Request(
        path=sample.address.path(random.choice(sample.parts)), headers=sample.headers, seed=seed
    )
    ways = random.choices((_path, _query, _header, _body, _body, _body, _method), k=random.randint(1, 3))
    for way in ways:
        request = way(random, sample, request)
    return request


def _path(random: Random, sample: Sample, request: Request) -> Request:
    if not sample.address.parameters:
        return _query(random, sample, request)
    parts = dict(random.choice(sample.parts))
    parts[random.choice(sample.address.parameters)] = random.choice(hostile.PARTS)
    return replace(request, path=sample.address.path(parts))


def _query(random: Random, sample: Sample, request: Request) -> Request:
    return replace(request, query=hostile.query(random, sample.parameters))


def _header(random: Random, _: Sample, request: Request) -> Request:
    name = random.choice(list(hostile.HEADERS))
    return replace(request, headers={**request.headers, name: random.choice(hostile.HEADERS[name])})


def _method(random: Random, _: Sample, request: Request) -> Request:
    return replace(request, method=random.choice(hostile.METHODS))


def _body(random: Random, sample: Sample, request: Request) -> Request:
    kind = sample.kind if random.random() < 0.7 else random.choice(list(hostile.KINDS))
    media, body = hostile.KINDS[kind](random, sample.fields)
    if random.random() < 0.1:
        media = random.choice(hostile.MEDIA)
    headers = {**request.headers, "Content-Type": media}
    method = "POST" if request.method == "GET" else request.method
    return replace(request, method=method, headers=headers, body=body)
