"""The test suite's settings with django-jazzmin, which replaces the admin's templates."""

from tests.settings import *  # noqa: F403
from tests.settings import INSTALLED_APPS as APPS

INSTALLED_APPS = ["jazzmin", *APPS]
JAZZMIN_SETTINGS = {"use_google_fonts_cdn": False}
