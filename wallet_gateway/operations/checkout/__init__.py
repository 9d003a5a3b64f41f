"""The hosted payment page of an order: create the order, prepare a payment attempt, open the page."""
