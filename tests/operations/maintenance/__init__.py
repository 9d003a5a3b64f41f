"""What runs by itself or once in a while."""
