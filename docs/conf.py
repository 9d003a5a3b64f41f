"""How the documentation is built: MyST markdown, with tables of wire messages made from the code."""

from __future__ import annotations

import os
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
author = "the django-wallet-gateway authors"
release = __version__
version = __version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "message_tables",
    "code_anchors",
    "glossary_links",
]
# A block of a console is copied without its prompts and without what the command prints.
copybutton_prompt_text = "$ "
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
if os.environ.get("READTHEDOCS"):
    # Inventories of others need a network, and links to the source need to know where it is.
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        "python": ("https://docs.python.org/3", None),
        "django": (
            "https://docs.djangoproject.com/en/stable/",
            "https://docs.djangoproject.com/en/stable/_objects/",
        ),
    }
    html_baseurl = os.environ.get("READTHEDOCS_CANONICAL_URL", "")
    html_theme_options = {
        "source_repository": os.environ.get("READTHEDOCS_GIT_CLONE_URL", "").removesuffix(".git"),
        "source_branch": os.environ.get("READTHEDOCS_GIT_IDENTIFIER", "main"),
        "source_directory": "docs/",
    }
