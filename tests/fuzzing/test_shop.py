"""Hostile requests to every address that a shop has: ours, its own pages, and the admin."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib.contenttypes.management import create_contenttypes
from django.db import connection

from tests.fuzzing.addresses import addresses_of
from tests.fuzzing.bounds import rounds
from tests.fuzzing.faults import faults_of
from tests.fuzzing.requests import spoil
from tests.fuzzing.shop import URLCONF, Shop, anonymous
from tests.fuzzing.verdicts import MOST_SECONDS, carry_out
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]


@pytest.fixture
def shop(wallet_sandbox: SandboxControl, catalogue: int, permissions: None) -> Shop:
    # Django remembers a row that a request has written; it would be taken back with the request.
    for app in apps.get_app_configs():
        create_contenttypes(app, verbosity=0)
    return Shop(wallet_sandbox)


def test_no_request_does_harm(shop: Shop) -> None:
    samples = list(shop.samples())
    assert {sample.address for sample in samples} == set(addresses_of(URLCONF))
    found = []
    for number, seed in enumerate(rounds(3 if connection.vendor == "sqlite" else 2)):
        for sample in samples:
            given = anonymous(sample) if number % 3 == 2 else sample
            request = spoil(given, seed)
            outcome = carry_out(request)
            if outcome.seconds > MOST_SECONDS:
                # What takes long by itself takes long again.
                outcome = carry_out(request)
            found += [f"{request}: {fault}" for fault in faults_of(given, request, outcome)]
    assert not found, "\n".join(found)
