"""Use cases from the first click to the last, in a real browser, against a live shop and sandbox gateway."""
