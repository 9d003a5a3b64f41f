"""The elements that load our stylesheets and scripts. A template decides which ones its page needs.

The plugin has no inline code, so a strict content security policy needs no exception for it. If a policy uses
nonces, every element has the nonce that the project's middleware created for this request.
"""

from __future__ import annotations

import logging
import re
from urllib.parse import urljoin, urlsplit

from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.exceptions import ImproperlyConfigured
from django.forms.utils import flatatt
from django.template import Context
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

from wallet_gateway import __version__, conf, gateways
from wallet_gateway.domain.policy import WalletPolicy

logger = logging.getLogger(__name__)

_CAPITAL = re.compile("[A-Z]")
NONCE_MARKS = ("csp_nonce", "_csp_nonce")
BUTTON = "page"
"""The module that defines the element of the wallet button."""
BUTTON_MODULES = (
    *("page/pay_button.js", "page/hosted_wallet.js", "page/own_wallet.js", "page/payment.js"),
    *("page/shop.js", "page/view.js", "page/sheet.js", "pending.js"),
)
"""What `BUTTON` imports, directly or not."""
WALLET_MODULES = ("wallet/main.js", "wallet/parameters.js", "wallet/run.js", "wallet/approvals.js")
"""What it imports as well where wallet.js is our own."""


def stylesheet(name: str, *, nonce: str | None = None) -> SafeString:
    """Return the link to one of our stylesheets; in the body, it blocks rendering of the content after it."""
    attributes = {"rel": "stylesheet", "href": static(f"wallet_gateway/{name}.css"), "nonce": nonce}
    return format_html("<link{}>", flatatt(attributes))


def script(name: str, *, nonce: str | None = None) -> SafeString:
    """Return the script element of one of our modules; from another host with CORS."""
    path = f"wallet_gateway/{name}.js"
    url = static(path)
    parts = urlsplit(url)
    # The interface recommends a `v` parameter for wallet.js. A storage that hashes names, or signs its URLs,
    # needs none and may allow none.
    if parts.path.endswith(path) and not parts.query:
        url = f"{url}?v={__version__}"
    attributes = {"type": "module", "src": url, **_cors(url), "nonce": nonce}
    return format_html("<script{}></script>", flatatt(attributes))


def _cors(url: str) -> dict[str, str]:
    """Return the attribute without which a browser would not load a script of another host as a module."""
    return {"crossorigin": "anonymous"} if urlsplit(url).netloc else {}


def wallet_scripts(*, gateway: str, nonce: str | None = None) -> SafeString:
    """Return the scripts of the wallet button; empty if the gateway's settings have no `WALLET`."""
    wallet = wallet_of(gateway)
    if wallet is None:
        return format_html("{}", "")
    hosted = ""
    if wallet.wallet_js_url:
        # The hash is the one that the shop has approved; a browser compares it only with CORS. With
        # `crossorigin` a script of a host without CORS would not run, so it needs a setting.
        hashes = {"integrity": wallet.wallet_js_integrity} if wallet.wallet_js_integrity else {}
        with_cors = {"crossorigin": "anonymous"} if hashes or wallet.wallet_js_cors else {}
        loaded = {"src": wallet.wallet_js_url, **hashes, **with_cors}
        # Deferred, it runs before the module that calls it, and does not stop the page from being parsed.
        attributes = {"defer": True, **loaded, "nonce": nonce, **wallet_attributes(gateway)}
        hosted = format_html("<script{}></script>", flatatt(attributes))
    # Modules are preloaded before the script that imports them is there: one chain of requests. Under which
    # URL they import one another: the hashed one if the storage rewrites imports, or else the one beside
    # the importing file.
    rewrites_imports = getattr(staticfiles_storage, "support_js_module_import_aggregation", False)
    names = BUTTON_MODULES if wallet.wallet_js_url else (*BUTTON_MODULES, *WALLET_MODULES)
    beside = static(f"wallet_gateway/{BUTTON}.js")
    urls = (static(f"wallet_gateway/{name}") if rewrites_imports else urljoin(beside, name) for name in names)
    links = [{"rel": "modulepreload", "href": url, **_cors(url), "nonce": nonce} for url in urls]
    preloads = [format_html("<link{}>", flatatt(link)) for link in links]
    return format_html("{}{}" + "{}" * len(preloads), hosted, script(BUTTON, nonce=nonce), *preloads)


def wallet_attributes(gateway: str) -> dict[str, str | None]:
    """Return what our wallet.js must know of the gateway, as attributes of its element.

    Their names are those that a script reads as `dataset`: `gatewayUrl` is `data-gateway-url`.
    """
    given = gateways.wallet_script_settings(gateway)
    return {"data-" + _CAPITAL.sub(r"-\g<0>", name).lower(): value for name, value in given.items()}


def wallet_of(gateway: str) -> WalletPolicy | None:
    """Return a gateway's wallet; None without one, or if the settings are invalid."""
    try:
        return conf.gateway_settings(gateway).wallet
    except ImproperlyConfigured:
        # The page belongs to the shop and must still render; the system checks name the errors.
        logger.exception("no wallet button: wallet payments are not configured")
        return None


def nonce_of(context: Context) -> str | None:
    """Return the nonce of the page being rendered, Django's or django-csp's; None without one."""
    request = context.get("request")
    # Django's context processor; django-csp's middleware; Django's, where a project lacks the processor.
    marks = [context.get("csp_nonce"), *(getattr(request, name, None) for name in NONCE_MARKS)]
    # Do not test its truth value: Django's nonce is lazy, and false until it has been read.
    return next((str(nonce) for nonce in marks if nonce is not None), None)
