"""A whole order in processor time: created, paid, returned from, shown; and the same by hand, by plain ORM.

As a program it is the shop that does both in turns. The time of PostgreSQL's process counts, the gateway's
does not.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from bench.measure import Finding, ratios, rounds, scaled
from bench.processes import canned_gateway, migrate, postgres, run, sqlite

if TYPE_CHECKING:
    from collections.abc import Iterator

STEPS = ("create", "pay", "return", "result page")
ORDERS = scaled(50)


def measure() -> Iterator[Finding]:
    """Compare on SQLite, then on PostgreSQL."""
    with canned_gateway() as gateway:
        with sqlite() as database:
            yield from _on(database, "SQLite", gateway)
        with postgres("order") as database:
            yield from _on(database, "PostgreSQL", gateway)


def _on(database: str, name: str, gateway: str) -> Iterator[Finding]:
    migrate(database)
    took = json.loads(run("bench.order", database=database, gateway=gateway))
    ours, theirs = took["plugin"], took["hand"]
    totals = [[sum(turn) for turn in zip(*side.values(), strict=True)] for side in (ours, theirs)]
    yield Finding(what=f"whole order on {name}", values=tuple(totals[0]), unit=" ms")
    yield Finding(what=f"whole order on {name}, to one by hand", values=ratios(*totals), unit="x")
    for step in STEPS:
        target = 4 if (step, name) == ("result page", "SQLite") else None
        yield Finding(what=f"{step} on {name}", values=tuple(ours[step]), unit=" ms", target=target)
        yield Finding(
            what=f"{step} on {name}, to one by hand", values=ratios(ours[step], theirs[step]), unit="x"
        )


def main() -> None:
    """Print the milliseconds of each step of either side, by round; the first round is to warm up."""
    import django

    django.setup()
    sides = {"plugin": _plugin(), "hand": _hand()}
    took: dict[str, dict[str, list[float]]] = {side: {step: [] for step in STEPS} for side in sides}
    for turn in range(1 + rounds()):
        # Forwards and backwards, so that neither always comes after the other.
        for side in sorted(sides, reverse=bool(turn % 2)):
            subjects: list[Any] = [f"{side}-{turn}-{number}" for number in range(ORDERS)]
            for step, do in zip(STEPS, sides[side], strict=True):
                milliseconds, subjects = _metered(do, subjects)
                took[side][step].append(milliseconds)
    print(json.dumps({side: {step: each[1:] for step, each in of.items()} for side, of in took.items()}))


def _metered(do: Callable[[Any], Any], subjects: list[Any]) -> tuple[float, list[Any]]:
    from bench.meter import metered

    with metered() as took:
        made = [do(subject) for subject in subjects]
    return took[0] / len(subjects), made


def _plugin() -> list[Callable[[Any], Any]]:
    from django.test import Client
    from django.urls import reverse

    from bench.shop.cart import ITEMS, SHIPPING
    from wallet_gateway import payments, return_tokens

    client = Client()

    def pay(order: Any) -> str:  # noqa: ANN401 - Django is not set up where types are
        payments.start_checkout(order)
        token = return_tokens.sign(order.payments.get().reference, return_tokens.ReturnOutcome.SUCCESS)
        return reverse("wallet_gateway:return", args=[token])

    create = partial(payments.create_order, currency="EUR", items=ITEMS, shipping=SHIPPING)
    return [lambda reference: create(reference=reference), pay, *_browser(client)]


def _hand() -> list[Callable[[Any], Any]]:
    from django.test import Client

    from bench.shop import hand

    def pay(order: Any) -> str:  # noqa: ANN401 - as above
        hand.pay(order)
        return f"/hand/return/{order.reference}/"

    return [hand.create, pay, *_browser(Client())]


def _browser(client: Any) -> list[Callable[[str], str]]:  # noqa: ANN401 - as above
    def back(url: str) -> str:
        answer = client.get(url)
        assert answer.status_code in (302, 303), answer
        return str(answer.headers["Location"])

    def show(url: str) -> str:
        answer = client.get(url)
        assert "Product number 0" in answer.content.decode(), answer
        return url

    return [back, show]


if __name__ == "__main__":
    main()
