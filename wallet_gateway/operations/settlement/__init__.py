"""The only writer of states and sums, with their discrepancies, freezes and outbox events."""
