"""Which options of Sentry and OpenTelemetry let customers and secrets into what they record.

With their defaults they record none of what the plugin is given. What is not there is not imported.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from wallet_gateway.findings import Code, Finding, warning

SUBJECT = "settings"
_CAPTURED = "OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_SERVER_REQUEST"
_SANITIZED = "OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_SANITIZE_FIELDS"
_SECRET_HEADERS = ("cookie", "authorization")


def risky_option(collector: str, option: str, remedy: str) -> Finding:
    """Return the finding of one option; the remedy is a sentence without its full stop."""
    code = Code.COLLECTOR_RECORDS_TOO_MUCH
    return warning(code, SUBJECT, collector=collector, option=option, remedy=remedy)


def sentry() -> Iterator[Finding]:
    """Warn of each option with which an active Sentry records more than an emptied traceback."""
    options = _options_of_sentry()
    given = options.get("data_collection") or {}
    by_kind = bool(given.get("provided_by_user"))
    if given.get("user_info") if by_kind else options.get("send_default_pii"):
        option = "data_collection['user_info']" if by_kind else "send_default_pii"
        yield risky_option("Sentry", option, "Set it to False: users' e-mail addresses are recorded")
    if given.get("database_query_data") if by_kind else _experiments(options).get("record_sql_params"):
        option = "data_collection['database_query_data']" if by_kind else "record_sql_params"
        yield risky_option("Sentry", option, "Set it to False: the parameters are the rows")
    # Frames that still run keep their variables; only those of an exception are emptied.
    if given.get("stack_frame_variables") if by_kind else options.get("include_local_variables"):
        for option in ("attach_stacktrace", "add_full_stack"):
            if options.get(option):
                yield risky_option("Sentry", option, "Record no local variables beside it")


def _options_of_sentry() -> Mapping[str, Any]:
    """Return the options of the active client; none where Sentry is not used."""
    sdk = sys.modules.get("sentry_sdk")
    client = sdk.get_client() if sdk is not None else None
    return client.options if client is not None and client.is_active() else {}


def _experiments(options: Mapping[str, Any]) -> Mapping[str, Any]:
    return options.get("_experiments") or {}


def opentelemetry() -> Iterator[Finding]:
    """Warn if OpenTelemetry is set to record the headers by which a person is known."""
    captured, sanitized = _names(_CAPTURED), _names(_SANITIZED)
    any_header = any(not name.replace("-", "").isalnum() for name in captured)
    open_ones = [name for name in _SECRET_HEADERS if (any_header or name in captured)]
    if exposed := [name for name in open_ones if not {name, f".*{name}.*", ".*"} & sanitized]:
        remedy = f"Name {' and '.join(exposed)} in {_SANITIZED}"
        yield risky_option("OpenTelemetry", _CAPTURED, remedy)


def _names(variable: str) -> set[str]:
    """Return the names and patterns that a variable of the environment lists."""
    return {part.strip().lower() for part in os.environ.get(variable, "").split(",") if part.strip()}
