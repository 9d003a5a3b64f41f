"""Record batch operations in the admin log, whether a worker or an open page executed the row."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from wallet_gateway.admin.admin_log import log_change_of
from wallet_gateway.admin.approval_messages import sentence_of_request
from wallet_gateway.admin.batch_results import ShownRow
from wallet_gateway.admin.pages import sentence_of
from wallet_gateway.models import BatchKind, OperationBatch, OperationBatchRow
from wallet_gateway.models.fields import actor_in
from wallet_gateway.signals import batch_row_done


def connect() -> None:
    """Connect to the signal for batch rows; repeated calls still record each row once."""
    batch_row_done.connect(record_row, dispatch_uid="wallet_gateway.admin.batch_log")


def record_row(batch: OperationBatch, row: OperationBatchRow, **_kwargs: Any) -> None:
    """Record a row under the name of the user who confirmed the batch, unless it was refused."""
    words = _words(batch, row)
    if words:
        log_change_of(actor_in(batch, "created_by"), row.subject, words)


def _words(batch: OperationBatch, row: OperationBatchRow) -> str:
    of_batch = {"batch": batch.pk, "author": batch.created_by}
    if batch.kind == BatchKind.STATUS_QUERY:
        return f"{_('Asked the gateway.')} {ShownRow(row=row, write=str).sentence}"
    if row.approval is not None:
        what = sentence_of_request(row.approval, write=str)
        return _("%(what)s (batch %(batch)s of %(author)s)") % {"what": what, **of_batch}
    if row.transaction is None:
        return ""
    done = {
        "what": sentence_of(row.transaction, write=str),
        "reference": row.transaction.reference,
        **of_batch,
    }
    return _("%(what)s (%(reference)s; batch %(batch)s of %(author)s)") % done
