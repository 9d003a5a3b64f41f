"""What runs by itself or once in a while: sweep, retention, expiry, ledger comparison."""
