"""Ask the gateway what became of a transaction, and record the answer."""
