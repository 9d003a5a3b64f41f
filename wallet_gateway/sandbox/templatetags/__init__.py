"""Template filters of the customer's pages."""
