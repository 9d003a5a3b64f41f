"""The list of requests: who may see it, and that a row leads to the page on which it is decided."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.models.rows import an_approval

pytestmark = pytest.mark.django_db

LIST = "/admin/wallet_gateway/approval/"


def test_a_row_leads_to_the_page_on_which_it_is_decided(superuser: Client) -> None:
    request = an_approval()
    answer = superuser.get(f"{LIST}{request.pk}/change/")
    assert answer["Location"] == f"{LIST}{request.pk}/decide/"
    assert superuser.get(f"{LIST}{request.pk + 1}/change/").status_code == 404
