"""The two columns that say who did something: the name for people, and the account's primary key.

The key is text and no foreign key: user models have numbers, UUIDs or texts as keys, and an account that is
deleted later must still be told from others.
"""

from __future__ import annotations

from typing import Any

from django.db import models

from wallet_gateway.domain.actors import Actor
from wallet_gateway.models.fields import ByteExactField, cut_to

LONGEST_ACCOUNT = 255
"""The longest primary key that the column of an account stores."""


def account_column() -> ByteExactField[str, str]:
    """Return the column for the account of an actor; empty for a program."""
    return ByteExactField(max_length=LONGEST_ACCOUNT, blank=True, default="", editable=False)


def actor_columns(model: type[models.Model], column: str, actor: Actor) -> dict[str, Any]:
    """Return the two columns that store an actor: the name, cut to its length, and the account."""
    return {column: cut_to(model, column, actor.name), f"{column}_account": actor.account}


def actor_in(row: models.Model, column: str) -> Actor:
    """Return the actor that two columns of a row store."""
    return Actor(name=getattr(row, column), account=getattr(row, f"{column}_account"))
