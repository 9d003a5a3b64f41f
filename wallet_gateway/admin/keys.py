"""The page of the keys that encrypt secrets at rest: which are in use, and how many values need another.

The keys themselves are in the settings, which no page shows or changes. Re-encrypting stored secrets is
harmless and repeatable, so a button here does it for small numbers; otherwise use the command.
"""

from __future__ import annotations

from django.contrib import messages
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from wallet_gateway import payments
from wallet_gateway.admin.pages import log_change, page_url, render_page
from wallet_gateway.admin.permissions import ROTATE_KEYS, require_permission
from wallet_gateway.models import WalletKey

MAX_AT_ONCE = 500
"""Maximum number of secrets that one request re-encrypts, which takes about a second."""


def keys_page(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Show the keys by fingerprint; on submit, re-encrypt secrets that use older keys."""
    require_permission(request, ROTATE_KEYS)
    found = payments.wallet.survey_keys()
    can_rotate_now = 0 < found.waiting <= MAX_AT_ONCE
    if request.method == "POST" and can_rotate_now:
        done = payments.wallet.rotate_keys()
        what = _("Encrypted anew with the newest key: %(count)d.") % {"count": done.resealed}
        log_change(request.user, WalletKey, what)
        messages.success(request, what)
        return HttpResponseRedirect(page_url(request, "dashboard_keys"))
    sentences = []
    if not found.keys:
        sentences.append(_("The settings hold no FERNET_KEYS, so nothing is stored encrypted."))
    if found.waiting:
        sentences.append(_("Still under an older key: %(count)d.") % {"count": found.waiting})
    if found.unreadable:
        words = _("Opened by none of the keys: %(count)d. Put the key back that they were made with.")
        sentences.append(words % {"count": found.unreadable})
    if not sentences and len(found.keys) > 1:
        sentences.append(_("The older keys are needed no more, but by backups made before now."))
    context = {
        "title": _("Encryption keys"),
        "keys": found.keys,
        "sentences": tuple(sentences),
        "can_rotate_now": can_rotate_now,
    }
    return render_page(site, request, "keys.html", context)
