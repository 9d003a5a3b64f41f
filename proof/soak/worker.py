"""One process of the shop: it serves customers, or sweeps, as often as it is told, and says what it holds.

It reads a line with a number of customers from its standard input, serves them, and answers with a line of
JSON; a number of 0 is a sweep.
"""

from __future__ import annotations

import gc
import json
import os
import random
import sys
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import django

if TYPE_CHECKING:
    from wallet_gateway.models import PaymentOrder
    from wallet_gateway.testing.control import SandboxControl

LEAK: Final = "SOAK_LEAK"
"""The environment variable of a process that keeps something of each customer."""
OUTCOMES: Final = ("success", "success", "success", "success", "refused", "cancelled", "return")
_MOST_SWEEPS: Final = 20
_left_over: list[object] = []


class Shop:
    """What a worker does."""

    def __init__(self, name: str, seed: str) -> None:
        from proof.soak.browser import Browser
        from wallet_gateway.testing.control import SandboxControl

        self._browser = Browser
        self._name = name
        self._random = random.Random(seed)
        self._control: SandboxControl = SandboxControl(os.environ["SOAK_GATEWAY_URL"])
        self._served = 0

    def serve(self) -> None:
        """Let one customer order and pay, and do with the payment what shops do."""
        from wallet_gateway import payments
        from wallet_gateway.testing.orders import create_order

        self._served += 1
        type_ = self._random.choice(("sale", "preauthorization"))
        order = create_order(reference=f"{self._name}-{self._served}", type=type_)
        # A pause after lost answers, and a lost answer itself, are what the load is meant to meet.
        with suppress(payments.errors.OperationError):
            self._pay(order)
            self._follow(order)

    def _pay(self, order: PaymentOrder) -> None:
        from wallet_gateway import payments
        from wallet_gateway.testing.control import SandboxRefused

        attempt = payments.start_checkout(order)
        # Of a page whose address was lost the sandbox may know nothing.
        with suppress(SandboxRefused):
            location = self._control.complete_checkout(attempt.reference, self._random.choice(OUTCOMES))
            back = urlsplit(location)
            self._browser().open(f"{back.path}?{back.query}")
        payments.reconcile(order)

    def _follow(self, order: PaymentOrder) -> None:
        from wallet_gateway import payments

        amount = self._random.choice((None, Decimal("4.00")))
        if order.type != "sale" and self._random.random() < 0.3:
            payments.reverse(order)
        elif order.type != "sale":
            payments.capture(order, amount)
        if self._random.random() < 0.5:
            payments.refund(order, Decimal("3.00"))


def sweep() -> int:
    """Sweep until there is nothing left to do now; return how often."""
    from wallet_gateway import payments

    for number in range(1, _MOST_SWEEPS):
        if not any(report.did_something for report in payments.sweep()):
            return number
    return _MOST_SWEEPS


def held() -> dict[str, int]:
    """Return what this process holds: kilobytes of memory, objects, open files."""
    gc.collect()
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (resident,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:"))
    return {
        "kilobytes": int(resident),
        "objects": len(gc.get_objects()),
        "files": len(os.listdir("/proc/self/fd")),
    }


def _leak() -> None:
    _left_over.append(bytearray(b"x" * 1_000_000))
    _left_over.extend([{"a": [number]} for number in range(300)])
    _left_over.append(os.dup(0))


def main(name: str, seed: str) -> None:
    """Do what is asked for, until nobody asks any more."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "proof.soak.settings")
    django.setup()
    from proof.soak.shop_clock import ShopClock

    ShopClock(Path(os.environ["SOAK_CLOCK"])).use()
    shop = Shop(name, seed)
    for line in sys.stdin:
        customers = int(line)
        for _ in range(customers):
            shop.serve()
            if LEAK in os.environ:
                _leak()
        sweeps = 0 if customers else sweep()
        sys.stdout.write(json.dumps({"customers": customers, "sweeps": sweeps, **held()}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
