"""All faults that can be planted in one module, each with a name that outlives changes of other lines."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

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
    """One fault: where it is, what was written and what is written instead."""

    module: str
    place: str
    """The qualified name of the function, or empty for the module itself and its classes."""
    before: str
    after: str
    count: int = 1
    """Which of several equal ones in the same place."""
    first_line: int
    last_line: int
    steps: tuple[tuple[str, int | None], ...]
    """The way from the module to the node that is replaced: fields, with an index where one is a list."""
    other: ast.AST
    """What is put there."""

    def planted(self) -> ast.Module:
        """Return the whole module with the fault."""
        tree = ast.parse(path_of(self.module).read_text(encoding="utf-8"))
        node: Any = tree
        for field, index in self.steps[:-1]:
            node = getattr(node, field) if index is None else getattr(node, field)[index]
        field, index = self.steps[-1]
        if index is None:
            setattr(node, field, self.other)
        else:
            getattr(node, field)[index] = self.other
        return ast.fix_missing_locations(tree)

    @property
    def name(self) -> str:
        """Return what the list of survivors calls it."""
        again = f" #{self.count}" if self.count > 1 else ""
        return f"{self.module}:{self.place or '-'}: {self.before} -> {self.after}{again}"


def path_of(module: str) -> Path:
    """Return the source file of a module of the package."""
    return ROOT.joinpath(*module.split(".")).with_suffix(".py")


def mutants_of(module: str) -> list[Mutant]:
    """Return all faults of a module, in the order of its lines."""
    tree = ast.parse(path_of(module).read_text(encoding="utf-8"))
    seen: Counter[str] = Counter()
    found = []
    for mutant in _Planter(module, tree).all():
        seen[mutant.name] += 1
        found.append(replace(mutant, count=seen[mutant.name]))
    return found


class _Planter:
    """Walks the tree of a module and names every fault that its nodes can have."""

    def __init__(self, module: str, tree: ast.Module) -> None:
        self.module, self.tree = module, tree
        self.known: Mapping[str, tuple[str, ...]] = aliases(tree)
        self._steps: list[tuple[str, int | None]] = []

    def all(self) -> Iterator[Mutant]:
        """Return the faults in the order of the source."""
        yield from self._below(self.tree, place="", classes=())

    def _below(self, node: ast.AST, *, place: str, classes: tuple[str, ...]) -> Iterator[Mutant]:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            return
        for field, index, child in _children(node):
            self._steps.append((field, index))
            yield from self._at(child, place=place, classes=classes)
            self._steps.pop()

    def _at(self, node: ast.AST, *, place: str, classes: tuple[str, ...]) -> Iterator[Mutant]:
        if isinstance(node, ast.FunctionDef) and not place:
            yield from self._below(node, place=".".join((*classes, node.name)), classes=())
            return
        if isinstance(node, ast.ClassDef) and not place:
            yield from self._below(node, place="", classes=(*classes, node.name))
            return
        for other in self._others(node):
            yield Mutant(
                module=self.module,
                place=place,
                before=_written(node),
                after=_written(other),
                first_line=_first_line(node),
                last_line=_last_line(node),
                steps=tuple(self._steps),
                other=other,
            )
        yield from self._below(node, place=place, classes=classes)

    def _others(self, node: ast.AST) -> Iterator[ast.AST]:
        if isinstance(node, ast.expr):
            yield from expressions(node, self.known)
        elif isinstance(node, ast.stmt):
            yield from statements(node)
        elif isinstance(node, ast.comprehension):
            yield from comprehensions(node)


def _children(node: ast.AST) -> Iterator[tuple[str, int | None, ast.AST]]:
    for field, value in ast.iter_fields(node):
        if field in _NEVER:
            continue
        if isinstance(value, ast.AST):
            yield field, None, value
        elif isinstance(value, list):
            for index, child in enumerate(value):
                if isinstance(child, ast.AST):
                    yield field, index, child


def _first_line(node: ast.AST) -> int:
    at = node.target if isinstance(node, ast.comprehension) else node
    assert isinstance(at, ast.expr | ast.stmt)
    return at.lineno


def _last_line(node: ast.AST) -> int:
    if isinstance(node, ast.If | ast.While):
        return node.test.end_lineno or node.lineno
    if isinstance(node, ast.comprehension):
        return node.iter.end_lineno or node.iter.lineno
    assert isinstance(node, ast.expr | ast.stmt)
    return node.end_lineno or node.lineno


def _written(node: ast.AST) -> str:
    if isinstance(node, ast.If | ast.While):
        return f"{type(node).__name__.lower()} {ast.unparse(node.test)}"
    if isinstance(node, ast.comprehension):
        return ast.unparse(node).strip()
    return " ".join(ast.unparse(node).split())
