"""Django's admin log: who did what to which row. The transaction events hold the details."""

from __future__ import annotations

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model
from django.http import HttpRequest

from wallet_gateway.models.fields import cut_to
from wallet_gateway.protocol.text import visible
from wallet_gateway.queries.permissions import account_named


def log_change(request: HttpRequest, row: Model, what: str) -> None:
    """Record in the admin log what the current user did with a row."""
    _write(str(request.user.pk), row, what)


def _write(user_id: str, row: Model, what: str) -> None:
    LogEntry.objects.create(
        user_id=user_id,
        content_type=ContentType.objects.get_for_model(row),
        object_id=str(row.pk),
        object_repr=cut_to(LogEntry, "object_repr", visible(row)),
        action_flag=CHANGE,
        change_message=what,
    )


def note_down_for(name: str, row: Model, what: str) -> None:
    """Record what was done with a row on behalf of a user; record nothing if the account no longer exists."""
    account = account_named(name)
    if account is not None:
        _write(str(account.pk), row, what)


def log_bulk_change(request: HttpRequest, model: type[Model], what: str) -> None:
    """Record what the current user did with many rows of one model, without naming each row."""
    LogEntry.objects.create(
        user_id=str(request.user.pk),
        content_type=ContentType.objects.get_for_model(model),
        object_repr=cut_to(LogEntry, "object_repr", str(model._meta.verbose_name_plural)),
        action_flag=CHANGE,
        change_message=what,
    )
