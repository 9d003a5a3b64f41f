"""When the gateway is asked, and what becomes of its answers."""
