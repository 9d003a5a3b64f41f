"""The list of orders: what its columns show beyond the order's own row, and the sums below it.

Each list page costs one statement for the countdowns, one for the ways of paying and one for the sums,
whatever its length.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from wallet_gateway.admin.capture_deadline import time_left
from wallet_gateway.admin.list_sums import SummedList
from wallet_gateway.models import PaymentOrder
from wallet_gateway.protocol.text import visible
from wallet_gateway.queries.authorizations import held_since
from wallet_gateway.queries.ways_of_paying import WayOfPaying, ways_of_paying

WAYS = {
    WayOfPaying.HOSTED_PAGE: _("Hosted page"),
    WayOfPaying.WALLET_BUTTON: _("Wallet button"),
}
