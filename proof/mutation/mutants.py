"""All faults that can be planted in one module, each with a name that outlives changes of other lines."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from proof.mutation.enums import aliases
from proof.mutation.operators import comprehensions, expressions, statements
from proof.parts import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_NEVER = {"annotation", "returns", "decorator_list", "bases", "type_params"}
"""Fields of nodes in which a change has no effect, or one that the type checker or every test sees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One fault: where it is, what is written and what is written instead."""

    module: str
    place: str
    """The qualified name of the function, or empty for the module itself and its classes."""
    tree: ast.Module
    node: ast.AST
    other: ast.AST
    count: int = 1
    """Which of several equal ones in the same place."""

    def source(self) -> str:
        """Return the whole module with the fault."""
        # A copy in which the other node stands for a copy of this one.
        return ast.unparse(copy.deepcopy(self.tree, {id(self.node): self.other}))

    @property
    def name(self) -> str:
        """Return what the lists of faults call it."""
        again = f" #{self.count}" if self.count > 1 else ""
        return f"{self.module}:{self.place or '-'}: {_written(self.node)} -> {_written(self.other)}{again}"

    @property
    def lines(self) -> range:
        """Return the lines that it changes: of a compound statement those of its condition."""
        node = self.node
        first: ast.AST = node.target if isinstance(node, ast.comprehension) else node
        last: ast.AST = node
        if isinstance(node, ast.If | ast.While):
            last = node.test
        elif isinstance(node, ast.comprehension):
            last = node.iter
        assert isinstance(first, ast.expr | ast.stmt)
        assert isinstance(last, ast.expr | ast.stmt)
        return range(first.lineno, (last.end_lineno or first.lineno) + 1)


def path_of(module: str) -> Path:
    """Return the source file of a module of the package."""
    return ROOT.joinpath(*module.split(".")).with_suffix(".py")


def mutants_of(module: str) -> list[Mutant]:
    """Return all faults of a module, in the order of its lines."""
    tree = ast.parse(path_of(module).read_text(encoding="utf-8"))
    known, seen, found = aliases(tree), Counter[str](), []
    for place, node in _nodes(tree):
        for other in _others(node, known):
            mutant = Mutant(module=module, place=place, tree=tree, node=node, other=other)
            seen[mutant.name] += 1
            found.append(replace(mutant, count=seen[mutant.name]))
    return found


def _nodes(node: ast.AST, place: str = "", classes: tuple[str, ...] = ()) -> Iterator[tuple[str, ast.AST]]:
    """Return the nodes below one, each with the qualified name of its function."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if field in _NEVER or not isinstance(child, ast.AST):
                continue
            if isinstance(child, ast.FunctionDef) and not place:
                yield from _nodes(child, ".".join((*classes, child.name)))
            elif isinstance(child, ast.ClassDef) and not place:
                yield from _nodes(child, "", (*classes, child.name))
            else:
                yield place, child
                yield from _nodes(child, place, classes)


def _others(node: ast.AST, known: Mapping[str, tuple[str, ...]]) -> Iterator[ast.AST]:
    if isinstance(node, ast.expr):
        yield from expressions(node, known)
    elif isinstance(node, ast.stmt):
        yield from statements(node)
    elif isinstance(node, ast.comprehension):
        yield from comprehensions(node)


def _written(node: ast.AST) -> str:
    if isinstance(node, ast.If | ast.While):
        return f"{type(node).__name__.lower()} {ast.unparse(node.test)}"
    return " ".join(ast.unparse(node).split())
