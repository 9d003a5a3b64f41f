"""A shop with django-salesman, and then the lines of our recipe."""

from tests.contrib import hosted_only
from tests.contrib.page_blocks import add_to
from tests.settings import *  # noqa: F403
from tests.settings import INSTALLED_APPS as TESTED

WALLET_GATEWAY = hosted_only.WALLET_GATEWAY
INSTALLED_APPS = [
    *(app for app in TESTED if app != "wallet_gateway"),
    "rest_framework",
    "salesman.core",
    "salesman.basket",
    "salesman.checkout",
    "salesman.orders",
    "tests.contrib.salesman.apps.MugsConfig",
]
# Salesman's own addresses have the framework's defaults.
REST_FRAMEWORK = {}
SALESMAN_PRODUCT_TYPES = {"mugs.Mug": "tests.contrib.salesman.serializers.MugSerializer"}
ROOT_URLCONF = "tests.contrib.salesman.urls"

add_to(globals(), "docs/how-to/other-frameworks.md", "settings.py")
