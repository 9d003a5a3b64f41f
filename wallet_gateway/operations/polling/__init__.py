"""Query the gateway for a transaction's status and record the answer."""
