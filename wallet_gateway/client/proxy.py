"""The proxy through which a gateway is reached: as the setting says, or else as the environment does."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies_environment, proxy_bypass_environment  # type: ignore[attr-defined]

FROM_ENVIRONMENT = ""
"""The value of the setting that leaves it to `HTTPS_PROXY` and `NO_PROXY`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """A proxy and who named it."""

    url: str = field(repr=False)
    """With user and password, if it has them."""
    named_by: str
    """`PROXY` or `HTTPS_PROXY`."""

    @property
    def shown(self) -> str:
        """Its address without user and password."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def is_proxy(url: str) -> bool:
    """Return whether a text is the address of a proxy: http or https, a host, and no path."""
    try:
        parts: SplitResult = urlsplit(url)
        port_is_number = parts.port is None or parts.port > 0
    except ValueError:
        return False
    is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and port_is_number
    return is_address and not (parts.path.strip("/") or parts.query or parts.fragment)


def is_loopback(host: str | None) -> bool:
    """Return whether a host name is this machine and nothing else."""
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:
        return False


def proxy_of(setting: str | None, base_url: str) -> Proxy | None:
    """Return a gateway's proxy: that of the setting, none for None, or the environment's at this moment.

    A gateway on this machine is reached without a proxy. Raises ValueError if the value in the environment is
    not the address of a proxy.
    """
    gateway = urlsplit(base_url)
    if setting is None or is_loopback(gateway.hostname):
        return None
    if setting != FROM_ENVIRONMENT:
        return Proxy(url=setting, named_by="PROXY")
    proxies = getproxies_environment()
    url = proxies.get("https", "")
    if gateway.scheme != "https" or not url or proxy_bypass_environment(gateway.netloc, proxies):
        return None
    proxy = Proxy(url=url if "://" in url else f"http://{url}", named_by="HTTPS_PROXY")
    if not is_proxy(proxy.url):
        # Not quoted: what is wrong may stand before a password.
        raise ValueError(
            "HTTPS_PROXY is no address of a proxy such as http://proxy.example:3128; correct it, or set PROXY"
        )
    return proxy
