"""A shop's type checker knows the public names without the stubs of Django and REST framework.

Only the columns of rows need them, as those of every Django app do: `make lint` checks those in `typed_shop`.
Their stubs are installed where these tests run. `follow_imports = skip` leaves a package out, its stubs and
its source, so that each of its names is `Any`. That is also what happens where no stubs are installed: mypy
reads no package that does not say that it is typed. The files of this package are followed silently, as those
of an installed package are.
"""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from django.db.models import Model

from tests.packaging.wheel import ROOT
from wallet_gateway import models, payments, signals, testing
from wallet_gateway.testing import configuration, control, in_process, orders, plugin, sandbox, wallet_sheet

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

CONFIGURATION = """
[mypy]
strict = true

[mypy-wallet_gateway.*]
follow_imports = silent

[mypy-django.*,rest_framework.*,requests.*]
follow_imports = skip
follow_imports_for_stubs = true
"""
MODULES = [
    payments,
    *(module for name in payments.__all__ if inspect.ismodule(module := getattr(payments, name))),
    models,
    signals,
    testing,
    configuration,
    control,
    in_process,
    orders,
    plugin,
    sandbox,
    wallet_sheet,
]
UNTYPED = re.compile(r'Revealed type is "(?:Any|def .* -> Any)"')


def run_mypy(path: Path, folder: Path) -> str:
    """Check a file as a shop does that has installed neither django-stubs nor djangorestframework-stubs."""
    (folder / "mypy.ini").write_text(CONFIGURATION, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", str(folder / "mypy.ini"), str(path)]
    command += ["--cache-dir", str(folder / "cache"), "--no-error-summary"]
    environment = os.environ | {"MYPYPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.stdout


def public_names(module: ModuleType) -> Iterator[str]:
    """Give the public names of a module: those it lists, or those it defines itself."""
    own = (name for name, value in vars(module).items() if _is_defined_in(module, value))
    return (name for name in getattr(module, "__all__", own) if not name.startswith("_"))


def _is_defined_in(module: ModuleType, value: object) -> bool:
    return getattr(value, "__module__", None) == module.__name__ or isinstance(value, signals.ShopSignal)


def attributes(known: type) -> Iterator[str]:
    """Give what a shop may read of an object: its fields, properties and methods."""
    for ours in known.__mro__:
        if ours.__module__.startswith("wallet_gateway"):
            yield from inspect.get_annotations(ours)
            yield from (name for name, value in vars(ours).items() if _is_read(known, value))


def _is_read(known: type, value: object) -> bool:
    # The class methods of a model are queries, and their result is Django's.
    kinds = property if issubclass(known, Model) else property | classmethod
    return inspect.isfunction(value) or isinstance(value, kinds)


def questions() -> Iterator[str]:
    """Give one question to mypy for each public name, and for each attribute of a public class."""
    for module in MODULES:
        for name in public_names(module):
            full, value = f"{module.__name__}.{name}", getattr(module, name)
            yield f"reveal_type({full})"
            if inspect.isclass(value) and value.__module__.startswith("wallet_gateway"):
                public = sorted({each for each in attributes(value) if not each.startswith("_")})
                yield from (f"reveal_type(cast({full}, None).{each})" for each in public)


def test_no_public_name_and_no_attribute_of_one_is_untyped(tmp_path: Path) -> None:
    asked = list(questions())
    imports = [f"import {module.__name__}" for module in MODULES]
    lines = ["from typing import cast", "import django.db.models", *imports, *asked]
    file = tmp_path / "every_public_name.py"
    file.write_text("\n".join([*lines, "reveal_type(django.db.models.Model)\n"]), encoding="utf-8")
    answers = dict(re.findall(r"py:(\d+): note: (.*)", run_mypy(file, tmp_path)))
    assert UNTYPED.match(answers.pop(str(len(lines) + 1))), "the stubs of Django are not left out"
    assert len(answers) == len(asked) > 300
    untyped = [lines[int(number) - 1] for number, answer in answers.items() if UNTYPED.match(answer)]
    assert not untyped, "\n".join(untyped)
