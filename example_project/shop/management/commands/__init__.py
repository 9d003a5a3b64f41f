"""Commands of the example shop."""
