"""Who carries a batch on: a form does, and a page that renews itself with its ticket; looking does not."""

from __future__ import annotations

import html
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.admin.conftest import MakePerson, PaidOrder, carry_on
from wallet_gateway.admin import batch_rows
from wallet_gateway.admin.batch_progress import progress_url
from wallet_gateway.admin.operation_registry import CAPTURE
from wallet_gateway.models import GatewayTransaction, OperationBatch, RowState

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch(operator: Client, paid_order: PaidOrder) -> OperationBatch:
    """One order to be captured, confirmed by anna."""
    batch = batch_rows.draft(CAPTURE, [paid_order()], by="anna")
    batch_rows.start(batch, batch_rows.rows_of(batch), comment="shipped")
    return batch


@pytest.fixture
def colleague(make_person: MakePerson) -> Client:
    """Somebody else who may capture."""
    return make_person("capture_payment")


def sent() -> int:
    return GatewayTransaction.objects.filter(kind="CAPTURE").count()


def page_of(client: Client, batch: OperationBatch) -> str:
    return client.get(progress_url(batch)).content.decode()


def next_look(page: str) -> str:
    """Where a page without JavaScript goes by itself."""
    found = re.search(r'<noscript><meta http-equiv="refresh" content="1; url=([^"]+)">', page)
    assert found
    return html.unescape(found[1])


@pytest.mark.parametrize("method", ["get", "head", "options"])
def test_looking_at_it_carries_out_nothing_not_even_for_its_author(
    operator: Client, batch: OperationBatch, method: str
) -> None:
    getattr(operator, method)(progress_url(batch))

    assert sent() == 0
    assert batch.rows.get().state == RowState.WAITING


def test_the_page_of_its_author_is_carried_on_by_the_script(operator: Client, batch: OperationBatch) -> None:
    assert "data-wallet-drives" in page_of(operator, batch)

    assert "1 of 1 orders" in carry_on(operator, batch)
    assert sent() == 1


def test_without_javascript_the_page_renews_itself_with_a_ticket_that_carries_it_on(
    operator: Client, batch: OperationBatch
) -> None:
    address = next_look(page_of(operator, batch))
    operator.head(address)
    assert sent() == 0

    page = operator.get(address).content.decode()

    assert "1 of 1 orders" in page
    assert "http-equiv" not in page
    assert sent() == 1


def test_the_ticket_is_of_use_to_nobody_else_and_for_no_other_batch(
    operator: Client, colleague: Client, batch: OperationBatch
) -> None:
    address = next_look(page_of(operator, batch))
    other = OperationBatch.objects.create(kind="CAPTURE", created_by="anna", created_at=batch.created_at)

    colleague.get(address)
    Client().get(address)
    operator.get(next_look(page_of(operator, batch)).replace(f"/{batch.pk}/", f"/{other.pk}/"))
    operator.get(address[:-3])

    assert sent() == 0


def test_somebody_else_sees_whose_it_is_and_takes_it_over_by_a_button_only(
    colleague: Client, batch: OperationBatch
) -> None:
    page = page_of(colleague, batch)
    assert "The page of anna carries it on while it is open." in page
    assert "data-wallet-drives" not in page
    assert next_look(page) == progress_url(batch)
    colleague.get(next_look(page))
    assert sent() == 0

    assert "1 of 1 orders" in carry_on(colleague, batch)
    assert GatewayTransaction.objects.get(kind="CAPTURE").created_by == "anna"


def test_without_the_permission_nobody_carries_it_on_also_not_its_author(
    onlooker: Client, operator: Client, batch: OperationBatch
) -> None:
    address = next_look(page_of(operator, batch))
    User.objects.get(username="anna").user_permissions.clear()

    assert onlooker.get(progress_url(batch)).status_code == 403
    assert operator.get(address).status_code == 403
    url = progress_url(batch).replace("progress", "steer")
    assert operator.post(url, {"carry_on": "1"}).status_code == 403
    assert sent() == 0


def test_a_form_of_another_site_carries_on_nothing(batch: OperationBatch, operator: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = operator.cookies

    url = progress_url(batch).replace("progress", "steer")

    assert strict.post(url, {"carry_on": "1"}).status_code == 403
    assert sent() == 0


def test_a_draft_and_a_stopped_batch_are_not_carried_on(operator: Client, batch: OperationBatch) -> None:
    batch_rows.stop(batch)
    carry_on(operator, batch)
    OperationBatch.objects.update(state="DRAFT")
    carry_on(operator, batch)

    assert sent() == 0
