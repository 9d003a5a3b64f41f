"""The two OpenAPI documents, and how Schemathesis tries an operation of one of them."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case, GenerationMode
from schemathesis import checks as known_checks
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation

from tests.architecture.sources import PACKAGE
from tests.fuzzing.bounds import proof_seconds

API = PACKAGE / "api" / "openapi.json"
SANDBOX = PACKAGE / "sandbox" / "openapi.json"
METHODS = ("get", "post", "put", "patch", "delete", "options")
Operation = APIOperation[Any, Any, Any, Any]
CHECKS = [
    known_checks.not_a_server_error,
    known_checks.status_code_conformance,
    known_checks.content_type_conformance,
    known_checks.response_headers_conformance,
    known_checks.response_schema_conformance,
]


def read(path: Path) -> dict[str, Any]:
    """Read a document; what it refers to in files beside it is put in its place."""
    document: dict[str, Any] = _with_files(json.loads(path.read_text(encoding="utf-8")), path.parent)
    return document


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Give each operation with its path and method."""
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, method, item[method]


@functools.cache
def _schema_of(path: Path, base_url: str) -> Mapping[str, Operation]:
    document = read(path)
    document["servers"] = [{"url": base_url}]
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=base_url)
    found = [one.ok() for one in schema.get_all_operations() if isinstance(one, Ok)]
    return {operation.label: operation for operation in found}


def labels(document: dict[str, Any]) -> list[str]:
    """Name each operation as Schemathesis does."""
    return [f"{method.upper()} {path}" for path, method, _ in operations(document)]


def operation_of(path: Path, label: str, *, base_url: str) -> Operation:
    """An operation of a document as Schemathesis reads it, for the server at an address."""
    return _schema_of(path, base_url)[label]


def try_out(operation: Operation, examples: int, ask: Callable[[Case[Any]], None]) -> None:
    """Send messages to an operation, as it describes them and, where it takes any, wrong ones.

    They are the same each time, and more of them and others where `PROOF_SECONDS` is set.
    """
    proof = proof_seconds() > 0
    # Of a text in an address nothing is wrong, and of no parameter at all.
    takes_more = bool(operation.body or operation.query)
    for mode in (GenerationMode.POSITIVE, *[GenerationMode.NEGATIVE] * takes_more):

        @settings(
            max_examples=examples * 20 if proof else examples,
            derandomize=not proof,
            database=None,
            deadline=None,
            phases=[Phase.explicit, Phase.generate, Phase.shrink] if proof else [Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def attempt(case: Case[Any]) -> None:
            ask(case)

        attempt()


def _with_files(part: Any, folder: Path) -> Any:  # noqa: ANN401  a JSON value
    if isinstance(part, list):
        return [_with_files(one, folder) for one in part]
    if not isinstance(part, dict):
        return part
    name = part.get("$ref", "#")
    if name.startswith("#"):
        return {key: _with_files(value, folder) for key, value in part.items()}
    file, _, pointer = name.partition("#")
    found = json.loads((folder / file).read_text(encoding="utf-8"))
    for step in filter(None, pointer.split("/")):
        found = found[step]
    found.pop("$schema", None)
    return found
