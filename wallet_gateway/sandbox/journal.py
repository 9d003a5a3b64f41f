"""The journal: every request under ``/api/`` with its answer; secrets and card numbers are masked."""

from __future__ import annotations

import re
from datetime import datetime
from functools import partial
from typing import Any, Final

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.card_numbers import mask_card_numbers
from wallet_gateway.protocol.errors import UnreadableBody
from wallet_gateway.protocol.secret_names import SECRET, plain_name
from wallet_gateway.protocol.strict_json import JsonValue, fold_name
from wallet_gateway.sandbox.models import JournalEntry
from wallet_gateway.sandbox.requests import ParsedRequest, RawRequest
from wallet_gateway.sandbox.state import write_lock

MAX_JOURNAL_ENTRIES: Final = 50_000
"""Older entries are deleted, so that a long load test does not fill the disk."""

_MAX_BODY_LENGTH: Final = 100_000
_PRUNE_INTERVAL: Final = 1_000
MASK: Final = "[masked]"
_REFERENCE_NAMES: Final = frozenset(
    {"clientsystemtransactionid", "clientsysteminvoiceid", "parenttransactionid", "id"}
)
"""Names of fields that may contain a long number that is not a card number."""

_PARAMETER: Final = re.compile(r"((?<![A-Za-z0-9_-])([A-Za-z0-9_-]{1,64}+)=)[^&]*")
_PAIR: Final = re.compile(r'("([^"\\]{1,64})"\s*+:\s*+)("(?:[^"\\]++|\\.)*+"?|[^,}\]\s"{\[]++)', re.DOTALL)
_BRANCH: Final = re.compile(r'"([^"\\]{1,64})"\s*+:\s*+(?=[{\[])')


def open_entry(raw: RawRequest, parsed: ParsedRequest, *, fault: str, now: datetime) -> JournalEntry:
    """Store a request before it is processed."""
    path = f"{raw.path}?{raw.raw_query}" if raw.raw_query else raw.path
    entry = JournalEntry(
        operation=parsed.operation or "",
        method=raw.method[:16],
        path=_PARAMETER.sub(partial(_masked_value, mask=MASK), path)[:2000],
        request_body=_masked(raw.body),
        unknown_fields=list(parsed.unknown_fields),
        fault=fault,
        received_at=now,
    )
    with write_lock():
        entry.save()
        if entry.pk % _PRUNE_INTERVAL == 0:
            JournalEntry.objects.filter(pk__lte=entry.pk - MAX_JOURNAL_ENTRIES).delete()
    return entry


def close_entry(entry: JournalEntry, *, status: int, body: bytes) -> None:
    """Store the answer to a request; not called when the connection is closed without an answer."""
    answer = _masked(body)
    with write_lock():
        # A concurrent reset may have deleted the row, and `save` would then raise.
        JournalEntry.objects.filter(pk=entry.pk).update(answer_status=status, answer_body=answer)


def describe(entry: JournalEntry) -> dict[str, Any]:
    """Return an entry in the JSON form of the control interface; bodies that are not JSON are text."""
    return {
        "operation": entry.operation or None,
        "method": entry.method,
        "path": entry.path,
        "body": _json_or_text(entry.request_body),
        "status": entry.answer_status,
        "answer": _json_or_text(entry.answer_body),
        "fault": entry.fault or None,
        "unknownFields": entry.unknown_fields,
        "receivedAt": entry.received_at.isoformat(),
    }


def mask(value: JsonValue, name: str = "") -> JsonValue:
    """Return a JSON value with its secrets masked; ``name`` is the field that contains it."""
    if _is_secret(name):
        return MASK
    if isinstance(value, dict):
        return {key: mask(part, key) for key, part in value.items()}
    if isinstance(value, list):
        return [mask(part, name) for part in value]
    if not isinstance(value, str) or fold_name(name) in _REFERENCE_NAMES:
        return value
    return mask_card_numbers(value)


def mask_text(text: str) -> str:
    """Return text that is not valid JSON with its secrets masked as far as possible."""
    for found in _BRANCH.finditer(text):
        if _is_secret(found[1]):
            # In broken JSON the end of an object is unknown, so everything after such a secret is masked too.
            text = f'{text[: found.end()]}"{MASK}"'
            break
    return mask_card_numbers(_PAIR.sub(partial(_masked_value, mask=f'"{MASK}"'), text))


def _masked_value(found: re.Match[str], mask: str) -> str:
    return found[1] + mask if _is_secret(found[2]) else found[0]


def _is_secret(name: str) -> bool:
    return SECRET.search(plain_name(name)) is not None


def _masked(body: bytes) -> str:
    try:
        text = strict_json.dumps(mask(strict_json.loads(body))).decode()
    except UnreadableBody:
        text = mask_text(body[:_MAX_BODY_LENGTH].decode(errors="replace"))
    return text[:_MAX_BODY_LENGTH]


def _json_or_text(text: str) -> JsonValue:
    try:
        return strict_json.loads(text) if text else None
    except UnreadableBody:
        return text
