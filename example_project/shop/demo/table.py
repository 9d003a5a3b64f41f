"""A table of plain text with aligned columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

GAP = "  "


def aligned(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset()
) -> Iterator[str]:
    """Yield the lines of the table; columns in `right` are right-aligned."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    rule = ["-" * width for width in widths]
    for row in (head, rule, *rows):
        cells = (
            cell.rjust(width) if position in right else cell.ljust(width)
            for position, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield GAP.join(cells).rstrip()
