"""What must not be written in the package, each with the accident it prevents."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tests.architecture.sources import package, sources
from tests.tables import every

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.architecture.sources import Source

MONEY_ROOMS = ("protocol", "domain", "models", "operations", "queries", "sandbox", "payments")
UNESCAPED = frozenset({"mark_safe", "format_html_join", "SafeString"})
BODY_NAMES = frozenset({"POST", "answer_body", "body", "content", "cryptogram", "data", "detail", "payload"})


def _called(call: ast.Call) -> str:
    return getattr(call.func, "id", "") or getattr(call.func, "attr", "")


def _shipped_or_shown() -> Iterator[Source]:
    """The package, and the shop that others begin with a copy of."""
    yield from package()
    yield from sources("example_project")


def test_text_of_the_gateway_is_escaped() -> None:
    found = [
        f"{source.name}:{call.lineno}"
        for source in _shipped_or_shown()
        for call in source.calls()
        if _called(call) in UNESCAPED
        or (_called(call) == "format_html" and not isinstance(call.args[0], ast.Constant))
    ]
    assert not found, "templates escape; the text of format_html is not escaped, its arguments are"


def test_no_body_is_logged() -> None:
    found = [
        f"{source.name}:{call.lineno}"
        for source in _shipped_or_shown()
        for call in source.calls()
        if isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") in {"logger", "log"}
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
        for node in ast.walk(argument)
        if BODY_NAMES & {getattr(node, "id", ""), getattr(node, "attr", "")}
    ]
    assert not found, "a log is read by more people than an order"


@every("room", MONEY_ROOMS)
def test_money_never_becomes_a_float(room: str) -> None:
    found = [
        f"{source.name}:{call.lineno}"
        for source in package()
        if source.module.split(".")[1:2] == [room]
        for call in source.calls()
        if _called(call) == "float"
    ]
    assert not found, "0.1 + 0.2 is not 0.3; seconds are floats, amounts are not"


def test_models_have_no_float_and_no_decimal_column() -> None:
    found = [
        f"{source.name}:{field.lineno}"
        for source in package()
        if ".models" in source.module
        for field in ast.walk(source.tree)
        if isinstance(field, ast.Assign | ast.AnnAssign)
        and isinstance(field.value, ast.Call)
        and _called(field.value) in {"FloatField", "DecimalField"}
        and "seconds" not in ast.unparse(field)
    ]
    assert not found, "SQLite compares decimals as floats: amounts are whole minor units"
