"""A shop under load for a long time: nothing that it holds grows, its books stay true."""
