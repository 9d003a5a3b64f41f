"""Django's test environment is seen where it is set up, and nowhere else."""

from __future__ import annotations

import subprocess
import sys

import pytest

from wallet_gateway.conf.django_tests import is_test_run

OUTSIDE = """
from django.conf import settings
settings.configure()
from wallet_gateway.conf.django_tests import is_test_run
from django.test.utils import setup_test_environment, teardown_test_environment
found = [is_test_run()]
setup_test_environment()
found.append(is_test_run())
teardown_test_environment()
found.append(is_test_run())
print(found)
"""


def test_a_test_under_pytest_is_one() -> None:
    assert is_test_run()


@pytest.mark.wire
def test_another_process_is_one_while_djangos_runner_has_set_its_environment_up() -> None:
    ran = subprocess.run([sys.executable, "-c", OUTSIDE], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[False, True, False]"
