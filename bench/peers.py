"""The same checkout by other packages, in the same server, against the same gateway, on PostgreSQL.

django-payments and django-getpaid are given a thin provider, dj-stripe
Stripe's own library. What each keeps durable stands beside its view, in `bench.peers_shop.views`.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from bench.checkout_rounds import View, absolute, compared, run_rounds
from bench.databases import postgres
from bench.measure import LeftOut
from bench.shop_server import shop_server
from bench.stub_servers import quick_gateway

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.measure import Finding

PACKAGES = {"django-payments": "payments", "django-getpaid": "getpaid", "dj-stripe": "djstripe"}
LINES = 3


def measure() -> Iterator[Finding]:
    """Compare each with the bare view."""
    if missing := [package for package, module in PACKAGES.items() if find_spec(module) is None]:
        raise LeftOut(f"{', '.join(missing)}: not installed; `make bench-peers` does it")
    bare, new = View(name="bare view", path="/bare/"), View(name="plugin with create_order", path="/new/")
    plugin = View(name="plugin", path="/whole/", lines=LINES)
    peers = [View(name=name, path=f"/{name}/", lines=LINES) for name in PACKAGES]
    with (
        postgres("peers") as database,
        quick_gateway() as gateway,
        shop_server(database, gateway, shop="bench.peers_shop") as server,
    ):
        run_rounds(server, [bare, plugin, new, *peers])
    for view in (plugin, new, *peers):
        yield from compared(view, bare, f"{view.name}, to a bare view")
    for peer in peers:
        yield from compared(plugin, peer, f"plugin, to {peer.name}")
    for view in (bare, plugin, new, *peers):
        yield from absolute(view, "PostgreSQL")
