"""What stands around one request that moves money."""
