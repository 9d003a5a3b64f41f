"""A cursor that sends statements by the lowest layer of psycopg 3, which is imported here. No SQL of tables.

psycopg's own cursor finds out anew, each time, what is the same for every execution of a text: the types of
its values, whether it is prepared. After a wait for the server, when nothing of it is in the processor's
cache, that takes longer than to send the statement and to read its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import FeatureNotSupported, InvalidSqlStatementName, error_from_result
from psycopg.generators import execute
from psycopg.pq import ExecStatus, TransactionStatus

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.abc import Buffer
    from psycopg.pq.abc import PGresult

MOST = 100
"""The most statements of one connection, as of psycopg itself; any further one is planned each time."""

_DONE = frozenset({ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK})
_IDLE, _IN_TRANSACTION = TransactionStatus.IDLE, TransactionStatus.INTRANS


class Statements:
    """The statements of one connection: how often each text was executed, and which are prepared."""

    def __init__(self, driver: Connection[Any], *, executed_before: int) -> None:
        self.driver = driver
        self.transformer = Transformer(driver)
        self._executed_before = executed_before
        self._executions: dict[str, int] = {}
        self._names: dict[str, bytes] = {}
        self._numbers = count()

    @property
    def can_send(self) -> bool:
        """Whether a statement can be sent alone: psycopg's own cursor may have to begin a transaction."""
        status = self.driver.pgconn.transaction_status
        return status == _IN_TRANSACTION or (status == _IDLE and self.driver.autocommit)

    def cursor(self) -> PreparedCursor:
        """Return a cursor for one execution."""
        return PreparedCursor(self)

    def run(self, text: str, values: Sequence[Any]) -> PGresult:
        """Execute a text with `%s` in the place of each value, and return the result."""
        given = self.transformer.dump_sequence(values, [PyFormat.TEXT] * len(values))
        with self.driver.lock:
            try:
                return self._executed(text, given)
            except (InvalidSqlStatementName, FeatureNotSupported):
                # Somebody has thrown away what was prepared here, or has changed the type of a column that it
                # reads ("cached plan must not change result type"), so nothing was executed.
                self._names.clear()
                if self.driver.pgconn.transaction_status != _IDLE:
                    raise
                return self._executed(text, given)

    def _executed(self, text: str, given: Sequence[Buffer | None]) -> PGresult:
        name = self._names.get(text) or self._prepared(text)
        if name is None:
            self.driver.pgconn.send_query_params(self._numbered(text), given)
        else:
            self.driver.pgconn.send_query_prepared(name, given)
        return self._received()

    def _prepared(self, text: str) -> bytes | None:
        """Prepare a text that was executed before, because what is rare is not worth it; return its name."""
        before = self._executions.get(text, 0)
        if before < self._executed_before or len(self._names) >= MOST:
            self._executions[text] = before + 1
            return None
        name = b"wallet_gateway_%d" % next(self._numbers)
        # Without types each value has that of its column, however small a number is.
        self.driver.pgconn.send_prepare(name, self._numbered(text))
        self._received()
        self._names[text] = name
        return name

    def _received(self) -> PGresult:
        result: PGresult
        (result,) = self.driver.wait(execute(self.driver.pgconn))
        if result.status not in _DONE:
            raise error_from_result(result, encoding=self.driver.info.encoding)
        return result

    def _numbered(self, text: str) -> bytes:
        first, *others = text.split("%s")
        numbered = (f"${number}{other}" for number, other in enumerate(others, start=1))
        return "".join([first, *numbered]).encode(self.driver.info.encoding)


class PreparedCursor:
    """What Django needs of a driver's cursor, for one execution."""

    __slots__ = ("_result", "_statements")

    _result: PGresult

    def __init__(self, statements: Statements) -> None:
        self._statements = statements

    def execute(self, text: str, values: Sequence[Any] = ()) -> None:
        """Execute a statement with `%s` in the place of each value."""
        self._result = self._statements.run(text, values)

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the first row, or None if no row was found."""
        return next(iter(self.fetchall()), None)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all rows."""
        transformer = self._statements.transformer
        transformer.set_pgresult(self._result)
        return transformer.load_rows(0, self._result.ntuples, tuple)

    @property
    def rowcount(self) -> int:
        """How many rows were read or written."""
        return self._result.command_tuples or 0

    def close(self) -> None:
        """Nothing is open: all rows came with the result."""
