"""Makes texts that are bad for a regular expression: of its own characters, and almost what it matches."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from typing import Any

# Python's own reading of a pattern has no types.
op: Any = import_module("re._constants")
_parser: Any = import_module("re._parser")

_SEEDS = "x1 A_-.@\"'\\/:,;=+&%<>{}[]()\n\t\0\u00e9\u2028"
"""Of each class of characters the first of these that belongs to it is taken."""
_ENDS = ("", "\0", ",", " ", '"', "x", "1")
_ALWAYS = (
    *(
        '"',
        "\\",
        '"\\',
        '\\"',
        "a@",
        "@",
        "4 ",
        "4",
        "1.",
        "1'",
        " ",
        "\t ",
        "[",
        "[{",
        "]}",
        "({",
        "<>",
        "%20",
    ),
)
_HALVES = (("a", "b"), ("a", "b."), (".", "a"))
_MOST_PAIRED = 5


@dataclass(frozen=True)
class Hostile:
    """A text of any size: a block again and again, or one block before an `@` and another one behind it."""

    block: str
    begin: str = ""
    end: str = ""

    def of(self, size: int) -> str:
        """Write it with about `size` characters."""
        times = max(1, (size - len(self.begin) - len(self.end)) // len(self.block))
        return self.begin + self.block * times + self.end


@dataclass(frozen=True)
class Halves(Hostile):
    """The same with another block behind an `@`."""

    second: str = ""

    def of(self, size: int) -> str:
        """Write it with about `size` characters."""
        first, second = (block * (size // 2 // len(block)) for block in (self.block, self.second))
        return f"{first}@{second}"


def texts(source: str, flags: int = 0) -> list[Hostile]:
    """Return what is tried on a pattern: repeats of its characters, of pairs of them, of its beginnings."""
    tree = _parser.parse(source, flags)
    letters = _letters(tree)
    paired = letters[:_MOST_PAIRED]
    blocks = [*_ALWAYS, *letters, *(a + b for a in paired for b in paired if a != b)]
    for least in (False, True):
        blocks += [begin + end for begin in _beginnings(tree, least=least) for end in _ENDS]
    pumped = [Hostile(block, begin, "\0") for begin, block in _pumps(tree) if block]
    halves = [Halves(block, second=second) for block, second in _HALVES]
    return list(dict.fromkeys([*(Hostile(block) for block in blocks if block), *pumped, *halves]))


def _beginnings(tree: Any, before: str = "", *, least: bool) -> list[str]:  # noqa: ANN401
    """Beginnings of what matches: one after each word or other part, those within branches too."""
    found, parts = [], _flat(tree)
    for part, following in zip(parts, [*parts[1:], (None, None)], strict=True):
        if part[0] is op.BRANCH:
            for branch in part[1][1]:
                found += _beginnings(branch, before, least=least)
        before += _sample(part, least=least)
        if not part[0] is following[0] is op.LITERAL:
            found.append(before)
    return found


def _flat(tree: Any) -> list[Any]:  # noqa: ANN401
    """The parts of a sequence, groups opened."""
    parts = []
    for part in tree:
        inner = _group(part)
        parts += [part] if inner is None else _flat(inner)
    return parts


def _group(part: Any) -> Any:  # noqa: ANN401
    code, value = part
    if code is op.SUBPATTERN:
        return value[3]
    return value if code is op.ATOMIC_GROUP else None


def _pumps(tree: Any, before: str = "") -> list[tuple[str, str]]:  # noqa: ANN401
    """Return what stands before a repeat and what it repeats, for those within repeats and branches, too."""
    found = []
    for part in _flat(tree):
        code, value = part
        if code in _REPEATS:
            found.append((before, _sampled(value[2])))
            found += _pumps(value[2], before)
        elif code is op.BRANCH:
            for branch in value[1]:
                found += _pumps(branch, before)
        before += _sample(part)
    return found


_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)


def _sampled(tree: Any, *, least: bool = False) -> str:  # noqa: ANN401
    return "".join(_sample(part, least=least) for part in tree)


def _sample(part: Any, *, least: bool = False) -> str:  # noqa: ANN401
    """One text that a part matches; what may be absent is there once, or with `least` is not."""
    code, value = part
    inner = _group(part)
    if inner is not None:
        return _sampled(inner, least=least)
    if code in _REPEATS:
        fewest, most, body = value
        return _sampled(body, least=least) * max(int(fewest), 0 if least else min(1, int(most)))
    if code is op.BRANCH:
        return _sampled(value[1][0], least=least)
    return chr(value) if code is op.LITERAL else _letter(part)


def _letters(tree: Any) -> list[str]:  # noqa: ANN401
    """One character of every class and every sign of a pattern, its letters and digits once."""
    found: list[str] = []
    for part in _flat(tree):
        code, value = part
        if code in _REPEATS:
            found += _letters(value[2])
        elif code is op.BRANCH:
            found += [letter for branch in value[1] for letter in _letters(branch)]
        elif code is not op.LITERAL:
            found.append(_letter(part))
        elif not chr(value).isalnum():
            found.append(chr(value))
    return list(dict.fromkeys(letter for letter in found if letter))


def _letter(part: Any) -> str:  # noqa: ANN401
    code, value = part
    if code is op.ANY:
        return "x"
    if code is op.NOT_LITERAL:
        return "x" if chr(value) != "x" else "1"
    if code is op.IN:
        first = next((seed for seed in _SEEDS if _is_in(seed, value)), "")
        return first or next((chr(low) for kind, low in _lows(value)), "")
    return ""


def _lows(items: Any) -> list[tuple[Any, int]]:  # noqa: ANN401
    return [(k, v if k is op.LITERAL else v[0]) for k, v in items if k in (op.LITERAL, op.RANGE)]


def _is_in(letter: str, items: Any) -> bool:  # noqa: ANN401
    negated = items[0][0] is op.NEGATE
    return bool(negated != any(_fits(letter, kind, value) for kind, value in items))


def _fits(letter: str, kind: Any, value: Any) -> bool:  # noqa: ANN401
    if kind is op.LITERAL:
        return ord(letter) == int(value)
    if kind is op.RANGE:
        return bool(value[0] <= ord(letter) <= value[1])
    return kind is op.CATEGORY and re.match(_CATEGORIES[value], letter) is not None


_CATEGORIES = {
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
}
