"""What the gateway's records mean: a gateway of hand-written records, and what a shop concludes from them."""
