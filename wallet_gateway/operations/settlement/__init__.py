"""The only writer of states and totals, with their discrepancies, freezes and outbox events."""
