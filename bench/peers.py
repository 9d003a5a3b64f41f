"""The same order's page opened by other packages, in one process, at the same gateway, on PostgreSQL.

django-payments is given a thin provider, dj-stripe Stripe's own library. What each keeps durable stands
beside its function, in `bench.peers_shop.openers`. As a program it is the shop that opens pages.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import TYPE_CHECKING

from bench.measure import Finding, LeftOut, ratios, rounds, scaled
from bench.processes import canned_gateway, migrate, postgres, run

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGES = {"django-payments": "payments", "dj-stripe": "djstripe"}
SETTINGS = "bench.peers_shop.settings"
ORDERS = scaled(50)


def measure() -> Iterator[Finding]:
    """Compare each with the page that is opened by hand."""
    if missing := [package for package, module in PACKAGES.items() if find_spec(module) is None]:
        raise LeftOut(f"{', '.join(missing)}: not installed; docs/contributing.md says how")
    with postgres("peers") as database, canned_gateway() as gateway:
        migrate(database, settings=SETTINGS)
        took = json.loads(run("bench.peers", database=database, gateway=gateway, settings=SETTINGS))
    for name, each in took.items():
        yield Finding(what=f"page opened by {name}", values=tuple(each), unit=" ms")
    for name in PACKAGES:
        yield Finding(what=f"plugin, to {name}", values=ratios(took["plugin"], took[name]), unit="x")


def main() -> None:
    """Print the milliseconds of an opened page by each, by round; the first round is to warm up."""
    import django

    django.setup()
    from bench.meter import metered
    from bench.peers_shop.openers import OPENERS

    took: dict[str, list[float]] = {name: [] for name in OPENERS}
    for turn in range(1 + rounds()):
        for name in sorted(OPENERS, reverse=bool(turn % 2)):
            make, open_page = OPENERS[name]
            orders = [make(f"{name}-{turn}-{number}") for number in range(ORDERS)]
            with metered() as spent:
                for order in orders:
                    assert open_page(order)
            took[name].append(spent[0] / ORDERS)
    print(json.dumps({name: each[1:] for name, each in took.items()}))


if __name__ == "__main__":
    main()
