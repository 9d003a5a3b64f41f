"""The shop's database, put back to its beginning for each history: in memory at once, or by statements."""

from __future__ import annotations

from collections.abc import Callable

from django.apps import apps
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection
from django.db import transaction as db_transaction


class ShopDatabase:
    """Creates the tables, and returns them to how they were filled."""

    def __init__(self) -> None:
        self._is_in_memory = connection.vendor == "sqlite"
        self._fill: Callable[[], None] = _nothing
        self._template = b""
        if not self._is_in_memory:
            # Never a database that somebody uses: the one that Django makes for tests, beside it.
            connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
        call_command("migrate", verbosity=0)

    def fill(self, fill: Callable[[], None]) -> None:
        """Store what every history begins with."""
        self._fill = fill
        if self._is_in_memory:
            fill()
            self._template = connection.connection.serialize()

    def restart(self) -> None:
        """Put everything back to its beginning, counters of keys included."""
        if self._is_in_memory:
            connection.connection.deserialize(self._template)
            return
        models = [model for model in apps.get_models() if model._meta.app_label != "wallet_sandbox"]
        tables = [model._meta.db_table for model in models]
        statements = [f"DELETE FROM {connection.ops.quote_name(table)};" for table in tables]
        keys = [{"table": table, "column": "id"} for table in tables]
        statements += connection.ops.sequence_reset_by_name_sql(no_style(), keys)
        with db_transaction.atomic(), connection.cursor() as cursor:
            # Foreign keys are looked at when it is committed, so that the order does not matter.
            cursor.execute("".join(statements))
        self._fill()

    def drop(self) -> None:
        """Drop the database that was made for the run."""
        if not self._is_in_memory:
            connection.creation.destroy_test_db(connection.settings_dict["NAME"], verbosity=0)


def _nothing() -> None:
    return None
