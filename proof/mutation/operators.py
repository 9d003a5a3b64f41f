"""The faults that can be planted in one node of a syntax tree: what a programmer may write by mistake."""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING, Final, TypeVar

from proof.mutation.enums import neighbour

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

T = TypeVar("T")
N = TypeVar("N", bound=ast.AST)

_COMPARED: Final[Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_CALCULATED: Final[Mapping[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
_WORDS: Final = {"logger", "_logger", "log", "_log", "logging", "warnings"}
"""What is written for people who read logs moves no money."""


def expressions(node: ast.expr, known: Mapping[str, tuple[str, ...]]) -> Iterator[ast.expr]:
    """Return what could stand in the place of an expression by mistake."""
    match node:
        case ast.Compare():
            yield from _comparisons(node)
        case ast.BoolOp():
            yield from _conditions(node)
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.BinOp() if type(node.op) in _CALCULATED and not _is_text(node.left, node.right):
            yield ast.BinOp(left=node.left, op=_CALCULATED[type(node.op)](), right=node.right)
        case ast.Constant(value=bool()):
            yield ast.Constant(value=not node.value)
        case ast.Constant(value=int()):
            yield ast.Constant(value=node.value + 1)  # type: ignore[operator]  # an int, as the pattern says
        case ast.Attribute():
            other = neighbour(node, known)
            if other is not None:
                yield other
        case ast.Set() | ast.Tuple() | ast.List() if isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            if len(node.elts) > 1:
                yield from _changed(node, elts=_fewer(node.elts))
        case ast.Dict():
            yield from _changed(node, keys=_fewer(node.keys), values=_fewer(node.values))
        case ast.Call():
            yield from _changed(node, keywords=_fewer(node.keywords))
        case ast.IfExp():
            yield node.body
            yield node.orelse


def _comparisons(node: ast.Compare) -> Iterator[ast.expr]:
    for index, operator in enumerate(node.ops):
        for other in _COMPARED[type(operator)]:
            yield from _changed(node, ops=[[*node.ops[:index], other(), *node.ops[index + 1 :]]])


def _conditions(node: ast.BoolOp) -> Iterator[ast.expr]:
    yield ast.BoolOp(op=ast.Or() if isinstance(node.op, ast.And) else ast.And(), values=node.values)
    for left in _fewer(node.values):
        yield left[0] if len(left) == 1 else ast.BoolOp(op=node.op, values=left)


def _is_text(*operands: ast.expr) -> bool:
    return any(
        isinstance(operand, ast.JoinedStr)
        or (isinstance(operand, ast.Constant) and isinstance(operand.value, str | bytes))
        for operand in operands
    )


def _fewer(parts: Sequence[T]) -> list[list[T]]:
    """Return the parts without each one of them."""
    return [[*parts[:index], *parts[index + 1 :]] for index in range(len(parts))]


def _changed(node: N, **fields: Sequence[object]) -> Iterator[N]:
    """Yield a node with the first of other values for its fields, with the second of each, and so on."""
    for values in zip(*fields.values(), strict=True):
        other = copy.copy(node)
        vars(other).update(zip(fields, values, strict=True))
        yield other


def statements(node: ast.stmt) -> Iterator[ast.stmt]:
    """Return what could stand in the place of a statement by mistake."""
    match node:
        case ast.Return(value=ast.expr() as value) if not _is_decision(value):
            yield ast.Return(value=ast.Constant(value=None))
        case ast.Expr(value=ast.Call() as call) if not _is_log(call):
            yield ast.Pass()
        case ast.Raise() | ast.AugAssign():
            yield ast.Pass()
        case ast.Assign() if any(
            isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets
        ):
            yield ast.Pass()
        case ast.If() | ast.While() if not isinstance(node.test, ast.Compare | ast.BoolOp | ast.UnaryOp):
            yield from _changed(node, test=[ast.UnaryOp(op=ast.Not(), operand=node.test)])


def _is_decision(value: ast.expr) -> bool:
    """Whether a returned expression is nothing or a yes or no, of which the parts are changed anyway."""
    return isinstance(value, ast.Compare | ast.BoolOp) or (
        isinstance(value, ast.Constant) and not value.value
    )


def _is_log(call: ast.Call) -> bool:
    return ast.unparse(call.func).split(".")[0] in _WORDS


def comprehensions(node: ast.comprehension) -> Iterator[ast.comprehension]:
    """Return a comprehension without one of its conditions."""
    yield from _changed(node, ifs=_fewer(node.ifs))
