"""Enumerations whose values are stored in rows that outlive the version that wrote them."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class StoredEnum(StrEnum):
    """An enumeration that accepts a stored value which this version does not know.

    Such a member has the value for its name, and equals no member: a list shows the row, and no rule applies
    to it. It is not among the members when they are listed.
    """

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str) or not value:
            return None
        member = str.__new__(cls, value)
        member._name_ = member._value_ = value
        return member
