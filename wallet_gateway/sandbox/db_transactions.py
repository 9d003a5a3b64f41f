"""The sandbox's only database transactions.

SQLite allows one writer, and other writers poll for their turn; a lock of this process passes the turn on at
once. The lock also keeps each check valid until the row that relies on it is written, so that two requests
cannot spend the same money.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction as db_transaction

_turn = threading.RLock()


@contextmanager
def write_lock() -> Iterator[None]:
    """Run the block as one database transaction while no other thread writes."""
    with _turn, db_transaction.atomic():
        yield
