"""From an order to its hosted page: create the order, prepare a payment attempt, open the page."""
