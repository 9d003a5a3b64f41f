"""What must not be written, each with the accident it prevents."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from tests.architecture.sources import ROOT, everything, package, sources
from tests.tables import every

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.architecture.sources import Source

MONEY_ROOMS = ("protocol", "domain", "models", "operations", "queries", "sandbox", "payments")


def _called(call: ast.Call) -> str:
    return getattr(call.func, "id", "") or getattr(call.func, "attr", "")


def _calls(*names: str) -> Callable[[Source], set[int]]:
    return lambda source: {call.lineno for call in source.calls() if _called(call) in names}


def _method_calls(*names: str) -> Callable[[Source], set[int]]:
    return lambda source: {
        call.lineno
        for call in source.calls()
        if isinstance(call.func, ast.Attribute) and call.func.attr in names
    }


def _verify_off(source: Source) -> set[int]:
    return {
        keyword.value.lineno
        for call in source.calls()
        for keyword in call.keywords
        if keyword.arg == "verify"
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value is False
    }


def _blind_except(source: Source) -> set[int]:
    handlers = (node for node in ast.walk(source.tree) if isinstance(node, ast.ExceptHandler))
    blind = {"Exception", "BaseException"}
    return {
        handler.lineno
        for handler in handlers
        if handler.type is None or blind & {getattr(node, "id", "") for node in ast.walk(handler.type)}
        if not _raises_again(handler)
    }


def _raises_again(handler: ast.ExceptHandler) -> bool:
    """Whether a handler ends with a bare `raise`, and so turns nothing into an answer."""
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def _naive_http(source: Source) -> set[int]:
    verbs = {"get", "post", "put", "request"}
    return {
        call.lineno
        for call in source.calls()
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in verbs
        and getattr(call.func.value, "id", "") == "requests"
    }


FORBIDDEN: list[tuple[str, Callable[[Source], set[int]], str]] = [
    (
        "mark_safe",
        _calls("mark_safe", "format_html_join", "SafeString"),
        "gateway text in HTML is escaped by templates",
    ),
    ("verify=False", _verify_off, "money never travels over a connection whose other end is unproved"),
    ("raw SQL", _method_calls("raw", "extra"), "text must not become SQL"),
    ("blind except", _blind_except, "an unforeseen failure must be seen, not turned into an answer"),
    (
        "naive requests call",
        _naive_http,
        "no deadline, follows redirects, reads .netrc: only the transport sends",
    ),
    ("eval", _calls("eval", "exec"), "data must not become code"),
    (
        "pickle",
        lambda s: {line for line, module in s.imported() if module == "pickle"},
        "data must not become code",
    ),
]


@every(("find", "reason"), [rule[1:] for rule in FORBIDDEN], ids=[rule[0] for rule in FORBIDDEN])
def test_the_package_never_contains(find: Callable[[Source], set[int]], reason: str) -> None:
    found = [f"{source.name}:{line}" for source in package() for line in sorted(find(source))]
    assert not found, reason


@every("room", MONEY_ROOMS)
def test_money_never_becomes_a_float(room: str) -> None:
    found = [
        f"{source.name}:{line}"
        for source in package()
        if source.module.split(".")[1:2] == [room]
        for line in sorted(_calls("float")(source))
    ]
    assert not found, "0.1 + 0.2 is not 0.3; seconds are floats, amounts are not"


def _money_columns_of_the_wrong_kind(source: Source) -> set[int]:
    fields = (node for node in ast.walk(source.tree) if isinstance(node, ast.Assign | ast.AnnAssign))
    return {
        field.lineno
        for field in fields
        if isinstance(field.value, ast.Call)
        and _called(field.value) in {"FloatField", "DecimalField"}
        and "seconds" not in ast.unparse(field)
    }


def test_models_have_no_float_and_no_decimal_column() -> None:
    found = [
        f"{source.name}:{line}"
        for source in package()
        if ".models" in source.module
        for line in sorted(_money_columns_of_the_wrong_kind(source))
    ]
    assert not found, "SQLite compares decimals as floats: amounts are whole minor units"


def test_djangos_transaction_module_is_called_db_transaction() -> None:
    found = [
        f"{source.name}:{node.lineno}"
        for source in everything()
        if source.path.parts[0] != "example_project"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ImportFrom) and node.module == "django.db"
        if any(name.name == "transaction" and name.asname != "db_transaction" for name in node.names)
    ]
    assert not found, "a transaction is a row here, and a variable of that name would hide the module"


def test_no_file_is_a_drawer() -> None:
    drawers = {"utils", "util", "helpers", "helper", "common", "misc", "tools"}
    found = [
        source.name
        for source in everything()
        if source.path.stem in drawers or drawers & set(source.path.parts)
    ]
    assert not found, "what helps a subject lives with the subject"


INLINE = re.compile(
    r"<style[\s>]|\sstyle\s*=\s*[\"']|\son[a-z]+\s*=\s*[\"']|javascript:|<script(?![^>]*\bsrc=)[^>]*>", re.I
)


def _templates() -> list[str]:
    folders = ("wallet_gateway", "example_project")
    return [
        str(path.relative_to(ROOT)) for folder in folders for path in sorted((ROOT / folder).rglob("*.html"))
    ]


@every("name", _templates())
def test_a_template_has_no_inline_script_or_style(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    found = [f"{name}:{text[: match.start()].count(chr(10)) + 1}" for match in INLINE.finditer(text)]
    assert not found, "a strict content security policy must not need an exception for our pages"


@every("name", _templates())
def test_a_template_escapes_what_it_prints(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "|safe" not in text.replace(" ", "")
    assert "autoescape off" not in text


def test_no_secret_is_compared_with_equality() -> None:
    secret = re.compile(
        r"(api_?key|control_?key|secret|password|signature)\b.{0,20}[!=]=|[!=]=.{0,20}\b(api_?key|control_?key|secret|password|signature)\b",
        re.I,
    )
    found = [
        f"{source.name}:{number}"
        for source in sources("wallet_gateway")
        for number, line in enumerate(source.text.splitlines(), 1)
        if secret.search(line) and not line.strip().startswith(("#", '"'))
    ]
    assert not found, "comparing takes longer the more is right: use hmac.compare_digest"
