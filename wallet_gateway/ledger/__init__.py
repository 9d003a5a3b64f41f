"""The books: the only place that writes states and totals, and what the shop is told of them."""
