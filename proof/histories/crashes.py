"""The boundaries of a step, where a process can die, lose its database, or be overtaken by another one.

A boundary is the moment before each statement, savepoints and BEGIN among them, before and after each COMMIT,
and before and after each request. They are numbered within a step. A process that has died sends no statement
and no request any more, whatever its handlers try.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from django.db import OperationalError

from proof.histories.steps import Fate

_OF_ALL_PROCESSES: Final = {"trace", "meanwhile", "happened", "writes"}


class Died(BaseException):
    """The process is gone: no handler of the code under test sees it."""


class Boundaries:
    """Counts the boundaries of the process that runs, and lets there happen what the step's fate says."""

    def __init__(self) -> None:
        self.trace = hashlib.blake2b(digest_size=16)
        self.meanwhile: Callable[[], None] = _nothing
        """Lets another process run."""
        self.happened: Counter[str] = Counter()
        """How often a process died, lost its database for a moment, or was overtaken."""
        self.writes = 0
        """How many statements have changed rows."""
        self.begin(Fate())

    def begin(self, fate: Fate) -> None:
        """Begin a step."""
        self.fate, self.count = fate, 0
        self.is_dead = self.has_lost_database = self.is_overtaken = False

    def keep(self) -> dict[str, Any]:
        """Return where this process stands, to `go_back` to it after another one ran."""
        return {name: value for name, value in vars(self).items() if name not in _OF_ALL_PROCESSES}

    def go_back(self, kept: dict[str, Any]) -> None:
        """Continue with a process that was overtaken."""
        vars(self).update(kept)

    def restart_trace(self) -> None:
        """Forget the statements of the history before."""
        self.trace = hashlib.blake2b(digest_size=16)

    def note(self, *parts: object) -> None:
        """Add to the trace by which two runs of one history are compared."""
        self.trace.update("\x1f".join(map(str, parts)).encode())

    def reach(self, *, database: bool = False, is_free: bool = False) -> None:
        """Stand at a boundary: `is_free` while no transaction is open, `database` if a statement follows."""
        if self.is_dead:
            raise Died
        self.count += 1
        if is_free and not self.is_overtaken and self.fate.meanwhile and self.count >= self.fate.overtaken_at:
            self.is_overtaken = True
            self.happened["overtaken"] += 1
            self.meanwhile()
        if self.count == self.fate.dies_at:
            self.is_dead = True
            self.happened["died"] += 1
            raise Died
        if database and self.count == self.fate.loses_database_at:
            self.has_lost_database = True
            self.happened["lost its database"] += 1
            raise OperationalError("the server closed the connection")


def _nothing() -> None:
    return None


class ShopConnection:
    """The shop's database connection, watched; one for all of its processes, as only one runs at a time."""

    def __init__(self, connection: Any, boundaries: Boundaries) -> None:  # noqa: ANN401  a backend's own class
        self._connection, self._boundaries = connection, boundaries
        connection.ensure_connection()
        connection.execute_wrappers.append(self._execute)
        self._commit, connection._commit = connection._commit, self._watched_commit

    def _execute(
        self,
        execute: Callable[..., Any],
        sql: str,
        params: Any,  # noqa: ANN401  whatever a statement takes
        many: bool,  # noqa: FBT001  as Django calls it
        context: dict[str, Any],
    ) -> Any:  # noqa: ANN401
        self._boundaries.reach(database=True, is_free=not self._connection.in_atomic_block)
        self._boundaries.writes += sql.startswith(("INSERT", "UPDATE", "DELETE"))
        # A savepoint's name has the number of its thread.
        self._boundaries.note(sql.partition(" ")[0] if "SAVEPOINT" in sql[:25] else sql, _plain(params))
        return execute(sql, params, many, context)

    def _watched_commit(self) -> Any:  # noqa: ANN401
        try:
            self._boundaries.reach(database=True)
        except Died:
            # As a server does without its client; a driver may refuse what Django does on its way out.
            self._connection.connection.rollback()
            raise
        self._boundaries.note("COMMIT")
        done = self._commit()
        self._boundaries.reach(database=True)
        return done

    def bury(self) -> None:
        """Leave the connection as the death of its process does: what was not committed never was."""
        connection = self._connection
        # It is not closed: its database in memory would go with it.
        connection.connection.rollback()
        connection.in_atomic_block = connection.needs_rollback = connection.closed_in_transaction = False
        connection.run_commit_hooks_on_set_autocommit_on = connection.errors_occurred = False
        connection.savepoint_state, connection.savepoint_ids = 0, []
        connection.atomic_blocks, connection.run_on_commit = [], []
        connection.commit_on_exit = connection.autocommit = True


def _plain(params: object) -> list[str]:
    """Return parameters as texts that are the same in each run: an adapter's would show its address.

    Sorted, since the values of an `IN` may come from a set.
    """
    values = params.values() if isinstance(params, dict) else params or ()
    return sorted(str(getattr(value, "obj", value)) for value in values)  # type: ignore[attr-defined]
