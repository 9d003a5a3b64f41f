"""Help for tests of shops: a sandbox gateway of their own, and fixtures that point the shop at it.

Meant for test suites only; nothing a shop runs in production imports it. The sandbox runs as a process of its
own and is spoken to over HTTP, as a real gateway would be.
"""
