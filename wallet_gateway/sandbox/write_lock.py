"""The one writer: whoever changes the sandbox's tables waits here for the others.

SQLite has one writer anyway, and lets the rest poll for their turn; a lock of this process hands the turn
over at once. It also makes every check hold until the row that relies on it is written, so that no two
requests can spend the same money.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction as db_transaction

_turn = threading.RLock()


@contextmanager
def one_writer() -> Iterator[None]:
    """Do what the block does as one step, with nobody else writing; undone as a whole when it raises."""
    with _turn, db_transaction.atomic():
        yield
