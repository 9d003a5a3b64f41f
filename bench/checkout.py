"""A whole checkout under a real server with two workers, against a bare view in the same server, in turns.

Both send as many bytes to the same gateway and commit twice. Runs on SQLite and on PostgreSQL.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bench.checkout_rounds import View, absolute, compared, run_rounds
from bench.databases import postgres
from bench.measure import Finding, ratios
from bench.shop_server import shop_server
from bench.stub_servers import quick_gateway

if TYPE_CHECKING:
    from collections.abc import Iterator

FEW, MANY = 1, 100


def measure() -> Iterator[Finding]:
    """Compare on SQLite, then on PostgreSQL."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _on(f"sqlite:///{Path(folder, 'bench.sqlite3')}", "SQLite", throughput=0.65, p99=1.5)
    with postgres("checkout") as url:
        yield from _on(url, "PostgreSQL", throughput=0.9, processor=0.9, p99=1.2)


def _on(url: str, database: str, **promised: float) -> Iterator[Finding]:
    bare, new = View(name="bare view", path="/bare/"), View(name="with create_order", path="/new/")
    whole = View(name="checkout", path="/whole/", lines=3)
    sizes = {n: View(name=f"{n} lines", path="/whole/", lines=n) for n in (FEW, 10, MANY)}
    with quick_gateway() as gateway, shop_server(url, gateway) as server:
        run_rounds(server, [bare, whole, new, *sizes.values()])
    yield from compared(whole, bare, f"checkout on {database}, to a bare view", **promised)
    with_order = {"throughput": 0.7} if database == "PostgreSQL" else {}
    yield from compared(new, bare, f"with create_order on {database}, to a bare view", **with_order)
    for lines, view in sizes.items():
        if lines != FEW:
            yield _growth(view, sizes[FEW], f"{lines} lines to {FEW} on {database}", lines)
    for view in (bare, whole, new):
        yield from absolute(view, database)


def _growth(view: View, one: View, what: str, lines: int) -> Finding:
    return Finding(
        what=what,
        values=ratios(view.processor, one.processor),
        wall=ratios([1 / each.rate for each in view.slices], [1 / each.rate for each in one.slices]),
        unit="x",
        target=1.6 if lines == MANY else None,
    )
