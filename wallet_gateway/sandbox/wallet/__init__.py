"""The wallet button, on both sides: the emulated wallet, and the gateway operations that accept its result.

Here: stored cards, payment tokens, keys, payment accounts, authorizations, 3-D Secure decisions, and the
views of ``pay.js`` and the sheet. Not here: the 3-D Secure page, which is built like checkout (``hosted``).
"""
