"""Record in the admin's log what batches did, whether a worker or an open page carried out the row."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from wallet_gateway.admin.admin_log import note_down_for
from wallet_gateway.admin.approval_messages import sentence_of_request
from wallet_gateway.admin.batch_results import ShownRow
from wallet_gateway.admin.pages import sentence_of
from wallet_gateway.models import BatchKind, OperationBatch, OperationBatchRow
from wallet_gateway.signals import batch_row_done


def connect() -> None:
    """Listen to rows of batches; however often it is called, each row is recorded once."""
    batch_row_done.connect(record_row, dispatch_uid="wallet_gateway.admin.batch_log")


def record_row(batch: OperationBatch, row: OperationBatchRow, **_kwargs: Any) -> None:
    """Record a row in the name of the person who confirmed the batch; a refused one did nothing."""
    words = _words(batch, row)
    if words:
        note_down_for(batch.created_by, row.subject, words)


def _words(batch: OperationBatch, row: OperationBatchRow) -> str:
    of_batch = {"batch": batch.pk, "author": batch.created_by}
    if batch.kind == BatchKind.ASK:
        return f"{_('Asked the gateway.')} {ShownRow(row=row).sentence}"
    if row.approval is not None:
        what = sentence_of_request(row.approval)
        return _("%(what)s (batch %(batch)s of %(author)s)") % {"what": what, **of_batch}
    if row.transaction is None:
        return ""
    done = {"what": sentence_of(row.transaction), "reference": row.transaction.reference, **of_batch}
    return _("%(what)s (%(reference)s; batch %(batch)s of %(author)s)") % done
