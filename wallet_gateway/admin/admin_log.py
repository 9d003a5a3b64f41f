"""Django's admin log: who did what to which row. The transaction events hold the details."""

from __future__ import annotations

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model
from django.http import HttpRequest

from wallet_gateway.domain.people import Actor
from wallet_gateway.models.decisions import account_of
from wallet_gateway.models.fields import cut_to
from wallet_gateway.protocol.card_numbers import mask_card_numbers
from wallet_gateway.protocol.text import visible


def log_change(request: HttpRequest, row: Model, what: str) -> None:
    """Record in the admin log what the current user did with a row."""
    _write(request.user.pk, type(row), what, name=visible(row), object_id=str(row.pk))


def log_change_of(actor: Actor, row: Model, what: str) -> None:
    """Record what was done with a row on behalf of a user; record nothing if the account no longer exists."""
    account = account_of(actor)
    if account is not None:
        _write(account.pk, type(row), what, name=visible(row), object_id=str(row.pk))


def log_bulk_change(request: HttpRequest, model: type[Model], what: str) -> None:
    """Record what the current user did with many rows of one model, without naming each row."""
    _write(request.user.pk, model, what, name=str(model._meta.verbose_name_plural))


def _write(
    user_id: object, model: type[Model], what: str, *, name: str, object_id: str | None = None
) -> None:
    LogEntry.objects.create(
        user_id=str(user_id),
        content_type=ContentType.objects.get_for_model(model),
        object_id=object_id,
        object_repr=cut_to(LogEntry, "object_repr", name),
        action_flag=CHANGE,
        change_message=mask_card_numbers(what),
    )
