"""The pages under django-unfold and django-jazzmin, which replace the templates of Django's admin."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.architecture.sources import ROOT

pytestmark = [pytest.mark.wire, pytest.mark.slow]


@pytest.mark.parametrize("theme", ["unfold", "jazzmin"])
def test_a_page_of_each_template_opens_in_the_look_of_another_admin(theme: str) -> None:
    pytest.importorskip(theme)
    options = ["-q", "--no-migrations", "-p", "no:cacheprovider", "-p", "no:randomly"]
    settings = f"--ds=tests.admin.themes.{theme}_settings"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, settings, "tests/admin/themes/every_page.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
