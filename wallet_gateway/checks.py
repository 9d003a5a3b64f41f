"""System checks: report missing or dangerous settings by name at start, never during a request.

The rules are in `conf/project.py`; here their findings become messages of Django, which runs the checks
before a project's tests as well, with `DEBUG` off. What only a shop without `DEBUG` needs is not reported
there: it would keep tests from starting that have nothing to do with payments. A call that needs it raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final

from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as CheckWarning

from wallet_gateway.conf import project
from wallet_gateway.conf.django_tests import is_test_run
from wallet_gateway.doctor import host
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
def check_messages(**kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Build what every message is read with: an error of pydantic stops the start, and not a payment."""
    BuiltOnFirstUse.build_all()
    return []


def _check(rule: Callable[..., Iterable[Finding]], *given: object, **kwargs: Any) -> Sequence[CheckMessage]:  # noqa: ARG001
    """Report what a rule of the configuration finds."""
    return _messages(rule(*given))


def _check_databases(
    rule: Callable[[Sequence[str]], Iterable[Finding]], **kwargs: Any
) -> Sequence[CheckMessage]:
    """Report what a rule finds in the databases that `check --database` and `migrate` name."""
    return _messages(rule(kwargs["databases"] or ()))


def _messages(found: Iterable[Finding]) -> list[CheckMessage]:
    left_out = ONLY_WITHOUT_DEBUG if is_test_run() else frozenset()
    return [
        (Error if finding.level is Level.ERROR else CheckWarning)(
            finding.text,
            hint=f"{finding.advice} See {finding.docs}" if finding.docs else finding.advice,
            id=finding.code.value,
        )
        for finding in found
        if finding.code not in left_out
    ]


for _tag, _rules in project.RULES.items():
    for _rule in _rules:
        register(partial(_check, _rule), _tag)
for _tag, _rules_of_gateways in project.RULES_OF_GATEWAYS.items():
    for _rule_of_gateways in _rules_of_gateways:
        register(partial(_check, _rule_of_gateways, None), _tag)
for _rule_of_database in host.RULES_OF_DATABASES:
    register(partial(_check_databases, _rule_of_database), Tags.database)
