"""The test suite's settings with django-unfold, which replaces the admin's templates and its site."""

from tests.settings import *  # noqa: F403
from tests.settings import INSTALLED_APPS as APPS

INSTALLED_APPS = ["unfold", *APPS]
