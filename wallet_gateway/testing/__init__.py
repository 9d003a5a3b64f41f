"""Help for test suites, a shop's and this project's: a sandbox gateway, fixtures, an in-process transport.

Meant for test suites only; nothing a shop runs in production imports it. The sandbox runs as a process of its
own and is reached over HTTP, as a real gateway would be.
"""

from wallet_gateway.testing.in_process import InProcessTransport

__all__ = ["InProcessTransport"]
