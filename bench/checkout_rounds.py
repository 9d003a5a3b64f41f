"""Views of one server that are loaded in turns: a slice of each in every round."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bench.measure import Finding, ratios, rounds, scaled
from bench.wrk import CONNECTIONS, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bench.shop_server import ShopServer
    from bench.wrk import Slice

SECONDS = 2.0
FEWEST_ORDERS = scaled(2_000, least=500)


@dataclass(slots=True, kw_only=True)
class View:
    """A view to load, and what came of each round."""

    name: str
    path: str
    """What its path begins with; the rest is the number of an order where it pays one."""
    lines: int | None = None
    """How many lines the orders have that it pays; None if it needs no order."""
    next: int = 0
    """The number of the next order."""
    made: int = 0
    """How many orders there are."""
    most: int = 0
    """The most requests of a slice until now."""
    slices: list[Slice] = field(default_factory=list)
    worker: list[float] = field(default_factory=list)
    """Processor seconds of the web server for one request, by round."""
    database: list[float] = field(default_factory=list)
    """The same of the database server."""

    @property
    def series(self) -> str:
        """The name of its orders, which no other view pays."""
        return self.name.replace(" ", "-")

    def reference(self, number: int) -> str:
        """Return the reference of one of its orders."""
        return f"BENCH-{self.series}-{number}"

    @property
    def pattern(self) -> str:
        return self.path if self.lines is None else f"{self.path}{self.series}/%d/"

    @property
    def processor(self) -> list[float]:
        return [worker + database for worker, database in zip(self.worker, self.database, strict=True)]

    def of_slices(self, read: Callable[[Slice], float]) -> list[float]:
        """Return one figure of each round."""
        return [read(each) for each in self.slices]


def run_rounds(server: ShopServer, views: Sequence[View], *, seconds: float = SECONDS) -> None:
    """Load every view once to warm up, then in turns for as many rounds as there are to be."""
    for view in views:
        _stock(server, view)
        server.check(view.pattern % view.next if view.lines else view.path)
        view.next += 1
        _slice(server, view, seconds)
    for view in views:
        view.slices.clear()
        view.worker.clear()
        view.database.clear()
    for number in range(rounds()):
        # Forwards and backwards, so that none always comes after the same other.
        for view in views if number % 2 == 0 else reversed(views):
            _slice(server, view, seconds)


def _slice(server: ShopServer, view: View, seconds: float) -> None:
    _stock(server, view)
    worker, database = server.spent()
    done = load(view.pattern, first=view.next, port=server.port, seconds=seconds)
    worker_now, database_now = server.spent()
    view.slices.append(done)
    view.worker.append(worker_now.since(worker) / done.requests)
    view.database.append(database_now.since(database) / done.requests)
    view.next += done.requests + 2 * CONNECTIONS
    view.most = max(view.most, done.requests)


def _stock(server: ShopServer, view: View) -> None:
    """Make more orders while there may be too few for a slice twice as quick as the quickest."""
    if view.lines is None:
        return
    needed = max(2 * view.most, FEWEST_ORDERS) + 4 * CONNECTIONS
    if view.made - view.next < needed:
        count = 2 * needed
        server.make_orders(view.series, view.lines, first=view.made, count=count)
        view.made += count


def compared(view: View, other: View, what: str, **promised: float) -> Iterator[Finding]:
    """Yield throughput, processor time and latencies of a view against another's, round by round.

    `promised` has the least `throughput` by the clock, the least by `processor` time, and the greatest `p99`.
    What is not promised is told only.
    """
    rate = ratios(view.of_slices(lambda each: each.rate), other.of_slices(lambda each: each.rate))
    share = ratios(other.processor, view.processor)
    yield _at_least(f"{what}, throughput", rate, promised.get("throughput"))
    yield _at_least(f"{what}, requests by processor time", share, promised.get("processor"))
    p50 = ratios(view.of_slices(lambda each: each.p50), other.of_slices(lambda each: each.p50))
    p99 = ratios(view.of_slices(lambda each: each.p99), other.of_slices(lambda each: each.p99))
    yield Finding(what=f"{what}, p50", values=p50, unit="x")
    yield Finding(what=f"{what}, p99", values=p99, unit="x", target=promised.get("p99"))


def _at_least(what: str, values: tuple[float, ...], target: float | None) -> Finding:
    return Finding(what=what, values=values, unit="x", target=target, at_most=False)


def absolute(view: View, database: str) -> Iterator[Finding]:
    """Yield what a view takes on this machine, to understand the ratios."""
    what = f"{view.name} on {database}"
    yield Finding(
        what=f"{what}, requests a second", values=tuple(view.of_slices(lambda each: each.rate)), unit="/s"
    )
    yield Finding(what=f"{what}, worker", values=_milliseconds(view.worker), unit=" ms")
    if any(view.database):
        yield Finding(what=f"{what}, database server", values=_milliseconds(view.database), unit=" ms")


def _milliseconds(seconds: Sequence[float]) -> tuple[float, ...]:
    return tuple(1000 * each for each in seconds)
