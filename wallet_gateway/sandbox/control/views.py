"""The addresses of the control interface under ``/_sandbox/``, for tests and scripts."""

from __future__ import annotations

from collections import defaultdict
from io import BytesIO

from django.http import HttpRequest

from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox import follow_ups, merchants
from wallet_gateway.sandbox.control.calls import CONTROL_CALLS
from wallet_gateway.sandbox.json_calls import Call, call_path, with_json
from wallet_gateway.sandbox.models import Merchant
from wallet_gateway.sandbox.refusals import Refusal


def import_migration_file(request: HttpRequest) -> object:
    """Import a migration file."""
    merchant_id = request.GET.get("merchantId", merchants.BUILT_IN_ID)
    if not Merchant.objects.filter(merchant_id=merchant_id).exists():
        raise Refusal("UnknownMerchant", f"There is no merchant {quote(merchant_id)}.")
    # Read bytes: `str.splitlines` splits at more than line ends, and one invalid byte would reject all rows.
    lines = BytesIO(request.body)
    keep_good = request.GET.get("keepGood") == "1"
    accepted, rejected = follow_ups.import_migration_file(lines, merchant_id=merchant_id, keep_good=keep_good)
    return {"accepted": accepted, "rejected": [{"line": row.line, "reason": row.reason} for row in rejected]}


_calls: dict[str, dict[str, Call]] = defaultdict(dict, {"migration-file": {"POST": import_migration_file}})
for _call in CONTROL_CALLS.values():
    _calls[_call.path][_call.method] = with_json(_call.run)

control_urls = [call_path(path, **by_method) for path, by_method in _calls.items()]
"""URL patterns of the control interface, relative to ``/_sandbox/``."""
