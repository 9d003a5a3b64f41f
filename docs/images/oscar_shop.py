"""A django-oscar shop with a paid order of two mugs, for its picture: the shop of the bridge's own tests."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

EMAIL, PASSWORD = "staff@example.com", "clay-and-larks"


@contextmanager
def oscar_shop() -> Iterator[str]:
    """Run the shop; give the address of its order in oscar's dashboard.

    Enter it before the browser: Django refuses its database to a thread in which Playwright runs.
    """
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DATABASE_URL"] = f"sqlite:///{Path(folder, 'oscar.sqlite3')}"
        os.environ["DJANGO_SETTINGS_MODULE"] = "tests.contrib.oscar.settings"
        import django

        django.setup()
        from django.conf import settings
        from django.contrib.staticfiles.handlers import StaticFilesHandler
        from django.core.management import call_command
        from django.test import override_settings
        from django.test.testcases import LiveServerThread

        from wallet_gateway.testing.configuration import use_sandbox
        from wallet_gateway.testing.sandbox import SandboxServer

        call_command("migrate", verbosity=0)
        server = LiveServerThread("127.0.0.1", StaticFilesHandler)
        with SandboxServer() as gateway:
            at_sandbox = use_sandbox(gateway.control, settings.WALLET_GATEWAY)
            no_mail = "django.core.mail.backends.dummy.EmailBackend"
            with override_settings(WALLET_GATEWAY=at_sandbox, EMAIL_BACKEND=no_mail):
                number = pay_an_order(gateway.control)
                server.start()
                server.is_ready.wait()
                try:
                    yield f"http://127.0.0.1:{server.port}/dashboard/orders/{number}/"
                finally:
                    server.terminate()


def pay_an_order(control: object) -> str:
    """Let a guest buy two mugs, and give somebody of the staff an account."""
    from django.contrib.auth.models import User
    from oscar.core.loading import get_model
    from oscar.test.factories import CountryFactory

    from tests.contrib.oscar.shop import OscarShop, to_pay

    get_model("sites", "Site").objects.update_or_create(pk=1, defaults={"domain": "shop.example"})
    CountryFactory(iso_3166_1_a2="DE", iso_3166_1_a3="DEU", is_shipping_country=True)
    User.objects.create_superuser("staff", EMAIL, PASSWORD)
    # The settings and the clock stay as they are.
    shop = OscarShop(gateway=control, pass_time=print, settings=None, patch=None)  # type: ignore[arg-type]
    shop.place_an_order()
    shop.pay()
    return to_pay().reference
