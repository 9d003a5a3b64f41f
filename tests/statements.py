"""Which statements count as asking the database, of those that were captured."""

from __future__ import annotations

from django.test.utils import CaptureQueriesContext


def statements(captured: CaptureQueriesContext) -> list[str]:
    quiet = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK")
    return [q["sql"] for q in captured.captured_queries if not q["sql"].upper().startswith(quiet)]
