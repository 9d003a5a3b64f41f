"""A shop with an order model of its own, as our guide has it."""

from copy import deepcopy

from tests.settings import *  # noqa: F403
from tests.settings import INSTALLED_APPS as TESTED
from tests.settings import TEMPLATES as WITHOUT_FOLDER
from tests.settings import WALLET_GATEWAY as WITH_BUTTON

INSTALLED_APPS = [*TESTED, "tests.contrib.own_order"]
WALLET_GATEWAY = deepcopy(WITH_BUTTON)
del WALLET_GATEWAY["GATEWAYS"]["default"]["WALLET"]  # type: ignore[attr-defined]
ROOT_URLCONF = "tests.contrib.own_order.urls"
TEMPLATES = [
    {
        **WITHOUT_FOLDER[0],
        "APP_DIRS": False,
        "OPTIONS": {
            **WITHOUT_FOLDER[0]["OPTIONS"],  # type: ignore[dict-item]
            "loaders": [
                ("django.template.loaders.locmem.Loader", {"thanks.html": "{{ order.status }}"}),
                "django.template.loaders.app_directories.Loader",
            ],
        },
    }
]
