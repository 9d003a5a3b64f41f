"""Plants a fault in a module that is loaded already: nothing is imported anew, a trial takes milliseconds.

A function gets the code of its changed source. A value of the module is computed again, with what follows it,
and put wherever the old one is known. Anything else, such as a decorator or the default of an
argument, cannot be planted so: a new process has to import the changed source.
"""

from __future__ import annotations

import ast
import inspect
import sys
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from proof.mutation.mutants import path_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from proof.mutation.mutants import Mutant


class CannotBePlanted(Exception):
    """Only a process that imports the changed source shows this fault."""


def plant(mutant: Mutant) -> None:
    """Plant a fault in this process; raises `CannotBePlanted`."""
    module = sys.modules[mutant.module]
    tree = mutant.planted()
    if mutant.place:
        _plant_in_function(module, mutant, tree)
    else:
        _plant_in_module(module, mutant, tree)


def _plant_in_function(module: ModuleType, mutant: Mutant, tree: ast.Module) -> None:
    compiled = compile(tree, str(path_of(mutant.module)), "exec", dont_inherit=True)
    codes = [code for code in _codes(compiled) if code.co_qualname == mutant.place]
    functions = list(_functions(module, mutant.place))
    if len(codes) != 1 or not functions or any(_is_same(each.__code__, codes[0]) for each in functions):
        raise CannotBePlanted
    for function in functions:
        try:
            function.__code__ = codes[0]
        except ValueError as other_cells:
            raise CannotBePlanted from other_cells


def _is_same(old: CodeType, new: CodeType) -> bool:
    """Whether the fault is outside the code: in the default of an argument."""
    return old.co_code == new.co_code and old.co_consts == new.co_consts and old.co_names == new.co_names


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _functions(module: ModuleType, place: str) -> Iterator[FunctionType]:
    *classes, name = place.split(".")
    found: Any = module
    for each in classes:
        found = getattr(found, each)
    raw = vars(found).get(name)
    for candidate in (raw, *(getattr(raw, field, None) for field in ("fget", "func", "__func__"))):
        function = inspect.unwrap(candidate) if callable(candidate) else candidate
        if isinstance(function, FunctionType) and function.__qualname__ == place:
            yield function
            return


def _plant_in_module(module: ModuleType, mutant: Mutant, tree: ast.Module) -> None:
    at = mutant.steps[0][1] or 0
    if not isinstance(tree.body[at], ast.Assign | ast.AnnAssign):
        raise CannotBePlanted
    names = dict(vars(module))
    values: list[ast.stmt] = [n for n in tree.body[at:] if isinstance(n, ast.Assign | ast.AnnAssign)]
    code = compile(ast.Module(body=values, type_ignores=[]), str(path_of(mutant.module)), "exec")
    exec(code, names)
    changed = {name: names[name] for name in _assigned(values) if names[name] != getattr(module, name)}
    if not changed:
        raise CannotBePlanted
    for name, value in changed.items():
        _put_everywhere(name, getattr(module, name), value)


def _assigned(values: Sequence[ast.stmt]) -> Iterator[str]:
    for node in values:
        stored = (part for part in ast.walk(node) if isinstance(part, ast.Name))
        yield from (name.id for name in stored if isinstance(name.ctx, ast.Store))


def _put_everywhere(name: str, old: object, new: object) -> None:
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith(("wallet_gateway", "tests")):
            known = vars(module)
            if name in known and known[name] is old:
                known[name] = new
