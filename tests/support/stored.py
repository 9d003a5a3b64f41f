"""Every value in the database as text, for claims about what is kept and about what stays as it is."""

from __future__ import annotations

from django.db import connection


def stored(*, tables: str = "") -> dict[str, str]:
    """Return the values of every column, by ``TABLE.COLUMN``, of all tables whose name begins so."""
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            if table.startswith(tables):
                cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
                names = [column[0] for column in cursor.description]
                values = zip(*cursor.fetchall(), strict=True)
                for name, column in zip(names, values, strict=False):
                    found[f"{table}.{name}"] = "\n".join(map(_text, column))
    return found


def _text(value: object) -> str:
    return bytes(value).decode("latin-1") if isinstance(value, bytes | memoryview) else str(value)
