"""How the documentation is built: MyST markdown, with tables of wire messages made from the code."""

from __future__ import annotations

import sys
from pathlib import Path

import django
from django.conf import settings

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))
# The reference reads docstrings of models, for which Django wants settings: those of DEBUG will do.
settings.configure(
    DEBUG=True, SECRET_KEY="documentation", INSTALLED_APPS=["django.contrib.contenttypes", "wallet_gateway"]
)
django.setup()

from wallet_gateway import __version__  # noqa: E402  needs the settings above

project = "django-wallet-gateway"
author = "the django-wallet-gateway contributors"
release = __version__
version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "message_tables", "code_anchors"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"django-wallet-gateway {__version__}"
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
# The README stands at the top of the repository and is not a page of the site.
suppress_warnings: list[str] = []
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
default_role = "literal"
