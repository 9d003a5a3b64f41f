"""Each option with which a collector records what must not leave the shop is found, and no default is."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.checks import Warning as CheckWarning
from django.views.debug import ExceptionReporter, SafeExceptionReporterFilter
from pytest_django import Settings

from tests.collectors.listening import SentryEvents
from wallet_gateway import checks
from wallet_gateway.conf import project
from wallet_gateway.findings import Code

HEADERS = "OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_"


def found(**options: Any) -> list[object]:
    """Return the options that are found where Sentry is active with these."""
    listening = SentryEvents.listening(**options)
    next(listening)
    options_found = [finding.params["option"] for finding in project.risky_collectors()]
    assert list(listening) == []
    return options_found


def test_sentry_with_its_defaults_is_safe() -> None:
    assert found() == []
    assert found(max_request_body_size="always", traces_sample_rate=1.0) == []


@pytest.mark.filterwarnings("ignore:The send_default_pii:DeprecationWarning")
@pytest.mark.parametrize("option", ["send_default_pii", "attach_stacktrace", "add_full_stack"])
def test_an_option_of_sentry_that_records_more_is_found(option: str) -> None:
    assert found(**{option: True}) == [option]


def test_parameters_of_sql_are_found() -> None:
    assert found(_experiments={"record_sql_params": True}) == ["record_sql_params"]


def test_what_sentry_collects_by_kind_is_judged_by_kind() -> None:
    quiet = {"user_info": False, "database_query_data": False}
    assert found(data_collection=quiet) == []
    assert found(data_collection={}) == [
        "data_collection['user_info']",
        "data_collection['database_query_data']",
    ]
    assert found(data_collection=quiet, attach_stacktrace=True) == ["attach_stacktrace"]
    none = {**quiet, "stack_frame_variables": False}
    assert found(data_collection=none, attach_stacktrace=True) == []


@pytest.mark.parametrize("headers", ["Cookie", ".*", "accept, COOK.*"])
def test_headers_that_opentelemetry_records_are_found(headers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"{HEADERS}SERVER_REQUEST", headers)
    (finding,) = project.risky_collectors()
    assert "cookie" in finding.advice
    monkeypatch.setenv(f"{HEADERS}SANITIZE_FIELDS", "cookie,authorization")
    assert list(project.risky_collectors()) == []


class Bare(ExceptionReporter):
    """No filter at all."""


class Stricter(SafeExceptionReporterFilter):
    """A filter that derives from Django's."""


def test_a_filter_that_hides_no_setting_is_found(settings: Settings) -> None:
    settings.DEFAULT_EXCEPTION_REPORTER_FILTER = f"{__name__}.Stricter"
    assert checks.check_collectors() == []
    settings.DEFAULT_EXCEPTION_REPORTER_FILTER = f"{__name__}.Bare"
    (message,) = checks.check_collectors()
    assert isinstance(message, CheckWarning)
    assert message.id == str(Code.COLLECTOR_RECORDS_TOO_MUCH)
    assert "FERNET_KEYS" in str(message.hint)
