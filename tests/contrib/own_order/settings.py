"""A shop with an order model of its own, as our guide has it."""

from tests.contrib import hosted_only
from tests.contrib.page_blocks import templates_of
from tests.settings import *  # noqa: F403
from tests.settings import INSTALLED_APPS as TESTED
from tests.settings import TEMPLATES as WITHOUT_FOLDER

WALLET_GATEWAY = hosted_only.WALLET_GATEWAY
INSTALLED_APPS = [*TESTED, "tests.contrib.own_order"]
ROOT_URLCONF = "tests.contrib.own_order.urls"
TEMPLATES = [
    {
        **WITHOUT_FOLDER[0],
        "APP_DIRS": False,
        "OPTIONS": {
            **WITHOUT_FOLDER[0]["OPTIONS"],  # type: ignore[dict-item]
            "loaders": [
                ("django.template.loaders.locmem.Loader", templates_of("docs/how-to/own-order-model.md")),
                "django.template.loaders.app_directories.Loader",
            ],
        },
    }
]
