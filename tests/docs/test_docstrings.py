"""What is public is described where it is written: each parameter, each field, each error by its code."""

from __future__ import annotations

import ast
import enum
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from types import ModuleType
from typing import Any

from django.db import models

from tests.docs.pages import ROOT
from tests.operations.test_errors import CLASSES, RAISED
from wallet_gateway import payments, signals, testing
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.testing import (
    configuration,
    control,
    invariants,
    orders,
    plugin,
    sandbox,
    wallet_sheet,
)

FIELD = re.compile(r"^:(param|returns|raises)(?: ([\w.*]+))?: *", re.MULTILINE)
CODE = re.compile(r"`([a-z][a-z_0-9]+)`")
EXTERNAL = {"ImproperlyConfigured", "PaymentOrder.DoesNotExist", "Payment.DoesNotExist"}
CLASS_OF = {ErrorCode[code].value: CLASSES[name] for name, code, _given in RAISED if name in CLASSES}


def public(module: ModuleType) -> Iterator[Any]:
    for value in (getattr(module, name) for name in module.__all__):
        yield from public(value) if isinstance(value, ModuleType) else (value,)


def methods(kind: type) -> list[Callable[..., Any]]:
    public = (value for name, value in vars(kind).items() if not name.startswith("_"))
    return [value for value in public if inspect.isfunction(value)]


# A function that is also at the top of `payments` is one.
PUBLIC = list(dict.fromkeys(value for value in public(payments) if callable(value)))
FUNCTIONS: list[Callable[..., Any]] = [value for value in PUBLIC if inspect.isfunction(value)]
VALUES = [
    value
    for value in PUBLIC
    if inspect.isclass(value) and not issubclass(value, Exception | ErrorCode | models.Model)
]
FOR_TESTS: list[Callable[..., Any]] = [
    *methods(testing.WalletSandboxMixin),
    *methods(control.SandboxControl),
    *methods(wallet_sheet.WalletSheet),
    *methods(sandbox.SandboxServer),
    testing.InProcessTransport,
    configuration.use_sandbox,
    invariants.check_books,
    orders.create_order,
    orders.pay,
]


def fields_of(function: Callable[..., Any]) -> list[tuple[str, str, str]]:
    """Return the fields of a docstring: kind, name, and the words."""
    text = inspect.getdoc(function) or ""
    found = list(FIELD.finditer(text))
    ends = [following.start() for following in found[1:]] + [len(text)] * bool(found)
    return [
        (one[1], one[2] or "", text[one.end() : end].strip()) for one, end in zip(found, ends, strict=True)
    ]


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(inspect.unwrap(function))


def parameters_of(function: Callable[..., Any]) -> list[str]:
    return [name for name in signature_of(function).parameters if name not in {"self", "cls"}]


def raised_by(function: Callable[..., Any]) -> list[tuple[str, str]]:
    """Return the errors that a docstring names, without those that are not ours, each with its words."""
    given = [(error, words) for kind, error, words in fields_of(function) if kind == "raises"]
    assert all(words for _error, words in given)
    return [(error, words) for error, words in given if error not in EXTERNAL]


def test_every_parameter_is_described_in_the_order_of_the_signature() -> None:
    assert len(FUNCTIONS) > 70
    for function in (*FUNCTIONS, *FOR_TESTS):
        described = {name: words for kind, name, words in fields_of(function) if kind == "param"}
        assert list(described) == parameters_of(function), function
        assert [name for name, words in described.items() if len(words.split()) < 2] == [], function


def test_a_description_opens_with_one_sentence_and_says_what_comes_back() -> None:
    for function in (*FUNCTIONS, *FOR_TESTS):
        assert (inspect.getdoc(function) or "").partition("\n\n")[0].endswith("."), function
        said = [words for kind, _, words in fields_of(function) if kind == "returns"]
        returns = signature_of(function).return_annotation
        gives_something = inspect.isfunction(function) and returns not in {None, "None"}
        assert bool(said) is gives_something, function
        assert all(said), function


def test_each_code_is_named_under_the_class_that_carries_it() -> None:
    """What stands in backticks behind an error is a code of its class, a parameter, or an attribute of it."""
    for function in FUNCTIONS:
        for error, words in raised_by(function):
            known = {*parameters_of(function), "errors", "approval", "resume", "refund"}
            codes = [name for name in CODE.findall(words) if name not in known]
            assert codes, f"{function}: {error} without a code"
            assert set(codes) <= set(ErrorCode), function
            carriers = {CLASS_OF.get(code, CLASSES[error]) for code in codes}
            assert all(issubclass(carrier, CLASSES[error]) for carrier in carriers), (function, error)


def test_what_calls_the_gateway_says_that_it_wants_no_transaction() -> None:
    checked = {
        function
        for function in FUNCTIONS
        if "check_outside_transaction(" in inspect.getsource(inspect.unwrap(function))
    }
    said = {
        function
        for function in FUNCTIONS
        for error, _words in raised_by(function)
        if error == "InsideTransaction"
    }
    assert len(checked) > 20
    assert said == checked


def described_attributes(kind: type) -> dict[str, str]:
    """Return the attributes of a class with the text below each, as the reference shows it."""
    tree = ast.parse(inspect.getsource(sys.modules[kind.__module__]))
    found = next(
        node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == kind.__name__
    )
    attributes: dict[str, str] = {}
    for node, below in zip(found.body, [*found.body[1:], ast.Pass()], strict=True):
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        is_text = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
        text = ast.unparse(below) if is_text else ""
        attributes |= {target.id: text for target in targets if isinstance(target, ast.Name)}
    return attributes


def test_every_field_of_a_public_class_is_described() -> None:
    assert len(VALUES) > 40
    for kind in VALUES:
        described = described_attributes(kind)
        if issubclass(kind, enum.Enum):
            assert set(described) == set(kind.__members__), kind
        assert [name for name, text in described.items() if len(text.split()) < 2] == [], kind
        assert kind.__doc__, kind


def test_every_signal_is_described() -> None:
    tree = ast.parse(inspect.getsource(signals))
    silent = [
        ast.unparse(node)
        for node, below in pairwise(tree.body)
        if isinstance(node, ast.Assign) and not isinstance(below, ast.Expr)
    ]
    assert silent == []
    assert not isinstance(tree.body[-1], ast.Assign)


def test_every_fixture_is_described() -> None:
    tree = ast.parse(inspect.getsource(plugin))
    fixtures = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and any("pytest.fixture" in ast.unparse(decorator) for decorator in node.decorator_list)
    ]
    assert len(fixtures) > 5
    page = (ROOT / "docs" / "how-to" / "testing.md").read_text(encoding="utf-8")
    for fixture in fixtures:
        assert len((ast.get_docstring(fixture) or "").split()) > 5, fixture.name
        assert f"`{fixture.name}`" in page, fixture.name
