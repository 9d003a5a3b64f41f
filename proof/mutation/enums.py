"""The enumerations of the package with their members, read from the sources."""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Final

from proof.parts import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BASES: Final = {"Enum", "IntEnum", "StrEnum", "TextChoices", "IntegerChoices"}


@functools.cache
def known_enums() -> Mapping[str, tuple[str, ...]]:
    """Return the members of every enumeration by the name of its class."""
    return dict(
        found for path in sorted((ROOT / "wallet_gateway").rglob("*.py")) for found in _of(path.read_text())
    )


def _of(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef) and _BASES & {
            ast.unparse(base).split(".")[-1] for base in node.bases
        }:
            targets = (part.targets[0] for part in node.body if isinstance(part, ast.Assign))
            yield node.name, tuple(target.id for target in targets if isinstance(target, ast.Name))


def aliases(tree: ast.Module) -> dict[str, tuple[str, ...]]:
    """Return the members by every name that a module has for an enumeration: `_S = TransactionState`, too."""
    known = dict(known_enums())
    for node in tree.body:
        if isinstance(node, ast.Assign):
            known |= dict(_named_again(node.targets[0], node.value, known))
    return known


def _named_again(
    target: ast.expr, value: ast.expr, known: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, other in zip(target.elts, value.elts, strict=True):
            yield from _named_again(one, other, known)
    elif isinstance(target, ast.Name) and isinstance(value, ast.Name) and value.id in known:
        yield target.id, known[value.id]


def neighbour(node: ast.Attribute, known: Mapping[str, tuple[str, ...]]) -> ast.Attribute | None:
    """Return the next member of the enumeration that an expression names; None where it names none."""
    if not isinstance(node.value, ast.Name) or not isinstance(node.ctx, ast.Load):
        return None
    members = known.get(node.value.id, ())
    if node.attr not in members or len(members) < 2:
        return None
    other = members[(members.index(node.attr) + 1) % len(members)]
    return ast.Attribute(value=node.value, attr=other, ctx=node.ctx)
