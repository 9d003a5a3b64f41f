"""The books: what is learned or decided becomes states, totals and the events that the shop gets."""
