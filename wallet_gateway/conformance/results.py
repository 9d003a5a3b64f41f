"""What a probe can end with: passed, failed, skipped with a reason, or a report of an open point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

SettingValue = str | bool | tuple[str, ...] | Mapping[str, str]


class Outcome(StrEnum):
    """How a probe ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    REPORTED = "reported"


class Failed(Exception):
    """The gateway contradicts the document; the message says in which way."""


class Skipped(Exception):
    """The probe could not be carried out; the message says what it would need."""


@dataclass(frozen=True, slots=True)
class Finding:
    """How the gateway behaves where the document leaves it open, and the settings that follow from it."""

    text: str
    settings: Mapping[str, SettingValue] = field(default_factory=dict)
    """Members of ``WALLET_GATEWAY["GATEWAYS"][alias]`` that must not stay at their defaults."""
