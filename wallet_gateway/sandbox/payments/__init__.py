"""The payment engine: checkouts, follow-ups, detached refunds and the status of transactions.

Here: the rules of the interface and the rows they change. Not here: HTTP, JSON text, pages, and everything
that belongs to the wallet button (``wallet``).
"""
