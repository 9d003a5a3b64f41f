"""Keys that everybody can read, in this project's documentation and example: they protect nothing."""

from __future__ import annotations

from django.conf import settings as django_settings

SECRET_KEYS = frozenset({"only-for-the-demo-shop"})
INSECURE_PREFIX = "django-insecure-"
"""How `startproject` marks the key that it writes into the settings file."""
FERNET_KEYS = frozenset({"cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4="})


def is_published_secret_key(key: object) -> bool:
    """Return whether this `SECRET_KEY` is in a public file, so that anybody could sign with it."""
    return isinstance(key, str) and (key in SECRET_KEYS or key.startswith(INSECURE_PREFIX))


def is_published_fernet_key(key: object) -> bool:
    """Return whether this key is in a public file, so that anybody could decrypt with it."""
    return isinstance(key, str) and key in FERNET_KEYS


def published_secret_keys() -> tuple[str, ...]:
    """Return the names of Django's settings whose key is known to everybody, such as ``SECRET_KEY``."""
    fallbacks = (
        (f"SECRET_KEY_FALLBACKS[{number}]", key)
        for number, key in enumerate(django_settings.SECRET_KEY_FALLBACKS)
    )
    given = (("SECRET_KEY", django_settings.SECRET_KEY), *fallbacks)
    return tuple(name for name, key in given if is_published_secret_key(key))
