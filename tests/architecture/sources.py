"""The project's own Python files, parsed once. Reads files and nothing else; the rules stand in the tests."""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "wallet_gateway"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One Python file: its path below the project's folder, its text and its tree."""

    path: Path
    text: str
    tree: ast.Module

    @property
    def name(self) -> str:
        return self.path.as_posix()

    @property
    def module(self) -> str:
        parts = self.path.with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def calls(self) -> Iterator[ast.Call]:
        return (node for node in ast.walk(self.tree) if isinstance(node, ast.Call))

    def imported(self) -> Iterator[tuple[int, str]]:
        """Every imported module with its line, those inside functions and TYPE_CHECKING too."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.lineno, node.module or ""
                yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def _read(path: Path) -> Source:
    text = path.read_text(encoding="utf-8")
    return Source(path=path.relative_to(ROOT), text=text, tree=ast.parse(text, filename=str(path)))


@functools.cache
def sources(folder: str) -> tuple[Source, ...]:
    """The files below a folder of the project, migrations left out: they are written by Django."""
    paths = sorted((ROOT / folder).rglob("*.py"))
    return tuple(_read(path) for path in paths if "migrations" not in path.parts)


def package() -> tuple[Source, ...]:
    """The files that are shipped."""
    return sources("wallet_gateway")
