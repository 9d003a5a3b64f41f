"""The journal: every request under ``/api/`` as it arrived, with what was answered; secrets are masked."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.errors import UnreadableBody
from wallet_gateway.protocol.strict_json import JsonValue
from wallet_gateway.sandbox.masking import mask, mask_path, mask_text
from wallet_gateway.sandbox.models import JournalEntry
from wallet_gateway.sandbox.request_parser import Asked, Received
from wallet_gateway.sandbox.write_lock import one_writer

KEPT_ENTRIES: Final = 50_000
"""Older requests are forgotten, so that a long load test does not fill the disk."""

_LONGEST_BODY: Final = 100_000
_TIDY_EVERY: Final = 1_000


def open_entry(received: Received, asked: Asked, *, fault: str, now: datetime) -> JournalEntry:
    """Note a request before anything is done about it."""
    with one_writer():
        entry = JournalEntry.objects.create(
            operation=asked.operation or "",
            method=received.method[:16],
            path=mask_path(_path_and_query(received))[:2000],
            request_body=_masked(received.body),
            unknown_fields=list(asked.unknown_fields),
            fault=fault,
            received_at=now,
        )
        if entry.pk % _TIDY_EVERY == 0:
            JournalEntry.objects.filter(pk__lte=entry.pk - KEPT_ENTRIES).delete()
    return entry


def close_entry(entry: JournalEntry, *, status: int, body: bytes) -> None:
    """Note what a request was answered; not called where the connection was closed without an answer."""
    with one_writer():
        # Not by the row's own save, which fails where a reset was quicker.
        JournalEntry.objects.filter(pk=entry.pk).update(answer_status=status, answer_body=_masked(body))


def describe(entry: JournalEntry) -> dict[str, Any]:
    """Write an entry as the control interface does: bodies as JSON where they are JSON, else as text."""
    return {
        "operation": entry.operation or None,
        "method": entry.method,
        "path": entry.path,
        "body": _value(entry.request_body),
        "status": entry.answer_status,
        "answer": _value(entry.answer_body),
        "fault": entry.fault or None,
        "unknownFields": entry.unknown_fields,
        "receivedAt": entry.received_at.isoformat(),
    }


def _path_and_query(received: Received) -> str:
    return f"{received.path}?{received.raw_query}" if received.raw_query else received.path


def _masked(body: bytes) -> str:
    try:
        text = strict_json.dumps(mask(strict_json.loads(body))).decode()
    except UnreadableBody:
        text = mask_text(body[:_LONGEST_BODY].decode(errors="replace"))
    return text[:_LONGEST_BODY]


def _value(text: str) -> JsonValue:
    try:
        return strict_json.loads(text) if text else None
    except UnreadableBody:
        return text
