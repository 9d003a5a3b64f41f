"""System checks: report missing or dangerous settings by name at start, never during a request.

The rules are in `conf/`; here their findings become Django's messages. Django runs the checks before a
project's tests as well, with `DEBUG` off. What only a shop without `DEBUG` needs is not reported there: it
would keep tests from starting that have nothing to do with payments. A call that needs it raises.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as CheckWarning

from wallet_gateway.conf import project
from wallet_gateway.conf.django_tests import is_test_run
from wallet_gateway.doctor import character_sets, host
from wallet_gateway.findings import Code, Finding, Level
from wallet_gateway.protocol.wire import BuiltOnFirstUse

ONLY_WITHOUT_DEBUG: Final = frozenset(
    {Code.SQLITE_IN_PRODUCTION, Code.SANDBOX_MERCHANT, Code.SIGNING_KEY_PUBLISHED}
)
"""What is normal on a developer's machine, and is therefore not reported in tests."""


@register(Tags.security)
def check_settings(**kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Report every setting that is missing or wrong, with the expected value."""
    return _messages(project.wrong_settings(debug=True if is_test_run() else None))


@register(Tags.compatibility)
def check_default_gateway(**kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Warn if no gateway has the alias that calls use where they are given none."""
    return _messages(project.default_gateway())


@register(Tags.security)
def check_django(**kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Warn if the installed Django has a known vulnerability."""
    return _messages(project.vulnerable_django())


@register(Tags.compatibility)
def check_time_zone(**kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Check that `USE_TZ` is on."""
    return _messages(project.time_zones())


@register(Tags.compatibility)
def check_packages(**kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Check that the packages imported on first use can be imported."""
    return _messages(project.packages())


@register(Tags.compatibility)
def check_messages(**kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Build what every message is read with: an error of pydantic stops the start, and not a payment."""
    BuiltOnFirstUse.build_all()
    return []


@register(Tags.compatibility)
def check_router(**kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Check that all rows are in one database."""
    return _messages(project.database_router())


@register(Tags.security)
def check_sandbox(**kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Check that the shop does not serve the sandbox."""
    return _messages(project.served_sandbox())


@register(Tags.urls)
def check_urls(**kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Check that the customer can come back."""
    return _messages(project.urls())


@register(Tags.staticfiles)
def check_static_files(**kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Warn if the scripts' modules are deleted under the names by which they import each other."""
    return _messages(project.static_modules())


@register(Tags.staticfiles)
def check_static_origin(**kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Warn if static files are on another host."""
    return _messages(project.static_origin())


@register(Tags.security)
def check_dangers(**kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Report what is fine on a developer's machine and dangerous where customers pay."""
    return _messages(project.dangers())


@register(Tags.security)
def check_client_certificates(**kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Warn if a client certificate ends soon, or its key is open to other users."""
    return _messages(project.client_certificates())


@register(Tags.security)
def check_collectors(**kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Warn if a collector of errors or traces is set to record customers or secrets."""
    return _messages(project.risky_collectors())


@register(Tags.compatibility)
def check_middleware(**kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Check that no middleware opens a database transaction around the plugin's views."""
    return _messages(project.atomic_middleware())


@register(Tags.database)
def check_databases(**kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Warn if a database's settings disable what the ledger depends on."""
    return _messages(project.databases())


@register(Tags.database)
def check_durability(
    databases: Sequence[str] | None = None,
    **kwargs: Any,  # noqa: ARG001
) -> Sequence[CheckMessage]:
    """Check in the databases of `check --database` that commits are durable on disk."""
    return _messages(host.look_at_durability(databases or ()))


@register(Tags.database)
def check_character_sets(
    databases: Sequence[str] | None = None,
    **kwargs: Any,  # noqa: ARG001
) -> Sequence[CheckMessage]:
    """Check in the databases of `check --database` and `migrate` that every letter can be stored."""
    return _messages(character_sets.look_at_character_sets(databases or ()))


@register(Tags.database)
def check_missing_gateways(
    databases: Sequence[str] | None = None,
    **kwargs: Any,  # noqa: ARG001
) -> Sequence[CheckMessage]:
    """Check in the databases of `check --database` and `migrate` that no gateway in use is missing."""
    return _messages(host.look_at_missing_gateways(databases or ()))


def _messages(found: Iterable[Finding]) -> list[CheckMessage]:
    left_out = ONLY_WITHOUT_DEBUG if is_test_run() else frozenset()
    return [_message(finding) for finding in found if finding.code not in left_out]


def _message(finding: Finding) -> CheckMessage:
    kind = Error if finding.level is Level.ERROR else CheckWarning
    hint = f"{finding.advice} See {finding.docs}" if finding.docs else finding.advice
    return kind(finding.text, hint=hint, id=finding.code.value)
