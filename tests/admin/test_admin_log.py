"""Django's own log of the admin: who, what, which row; in text that shows all of itself."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.test import RequestFactory

from tests.explanations import commented
from tests.models.rows import NOW, an_order
from wallet_gateway.admin.admin_log import log_change
from wallet_gateway.models import Discrepancy

pytestmark = pytest.mark.django_db


def test_an_action_is_recorded_with_its_person_and_its_row(permissions: None) -> None:
    request, order = RequestFactory().post("/"), an_order(reference="A-1")
    request.user = User.objects.create_user("anna")

    log_change(request, order, "Asked the gateway.")

    entry = LogEntry.objects.get()
    assert (entry.user, entry.action_flag, entry.object_repr) == (request.user, CHANGE, "A-1")
    assert entry.get_edited_object() == order
    assert entry.get_change_message() == "Asked the gateway."


def test_a_hostile_name_of_a_row_is_recorded_as_it_can_be_seen(permissions: None) -> None:
    request = RequestFactory().post("/")
    request.user = User.objects.create_user("anna")
    difference = Discrepancy.objects.create(
        kind="MADE_ELSEWHERE", gateway="default", fingerprint="f", **commented("\u202e" * 490), found_at=NOW
    )

    log_change(request, difference, "Closed.")

    name = LogEntry.objects.get().object_repr
    assert "\u202e" not in name
    assert len(name) <= 200
