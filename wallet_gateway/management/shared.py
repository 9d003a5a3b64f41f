"""What commands share: who runs them, an unknown `--gateway`, output for programs, and progress."""

from __future__ import annotations

import codecs
import os
import time
from collections.abc import Iterable, Iterator
from getpass import getuser
from typing import Final, TypeVar

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError, OutputWrapper

from wallet_gateway import conf
from wallet_gateway.models import PaymentOrder
from wallet_gateway.protocol.text import is_storable


def login_name() -> str:
    """Return the login name of the process's user; where it has none, as in many containers, its number."""
    try:
        name = getuser()
    # Python 3.13 made one error of these.
    except (KeyError, ImportError, OSError):
        name = ""
    # A name of the environment may be blank, or bytes that are not UTF-8.
    storable = name.encode("utf-8", "replace").decode().strip()
    return storable or f"user {os.getuid() if hasattr(os, 'getuid') else 'without a name'}"


def check_has_orders(alias: str | None) -> None:
    """Raise `CommandError` for an alias that neither the settings have nor any order.

    Orders of a gateway that was removed from the settings are still found. Reads all orders of an unknown
    one, so it is asked where no order was found.
    """
    if alias is None:
        return
    try:
        conf.gateway_settings(alias)
    except ImproperlyConfigured as error:
        if not is_storable(alias) or not PaymentOrder.objects.filter(gateway=alias).exists():
            raise CommandError(f"--gateway: {error}") from error


READER_GONE: Final = 141
"""The exit code of what could not be written to its end, as a shell tells it of `cat` before `head`."""


def write_texts(out: OutputWrapper, texts: Iterable[str]) -> bool:
    """Write texts in UTF-8 as they are; return whether there was a reader for all of them."""
    try:
        # Letters that the locale of a machine may lack; what is written to a file has them, too.
        reconfigure = getattr(out, "reconfigure", None)
        if reconfigure is not None and codecs.lookup(out.encoding).name != "utf-8":
            reconfigure(encoding="utf-8")
        for text in texts:
            out.write(text, ending="")
        out.flush()
    except BrokenPipeError:
        # What Python still holds at its end goes nowhere: it would tell of the closed pipe again.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, out.fileno())
        os.close(nowhere)
        return False
    return True


T = TypeVar("T")

_WIDTH = 30


def with_progress(items: Iterable[T], *, total: int, out: OutputWrapper) -> Iterator[T]:
    """Yield the items and show on `out` how many of `total` are done.

    A terminal has one line that is drawn anew, anything else a line for each tenth.
    """
    is_watched, started, tenths = out.isatty(), time.monotonic(), 0
    for done, item in enumerate(items, start=1):
        yield item
        share = min(done / max(total, 1), 1)
        if not is_watched and int(share * 10) == tenths:
            continue
        tenths = int(share * 10)
        bar = ("#" * round(share * _WIDTH)).ljust(_WIDTH, ".")
        rate = done / max(time.monotonic() - started, 0.001)
        text = f"[{bar}] {share:4.0%}  {done} of {total}  {rate:.0f}/s"
        out.write(f"\r{text}" if is_watched else text, ending="" if is_watched else "\n")
        out.flush()
    if is_watched:
        out.write("")
