"""Import and export of deposits that were paid through an earlier provider."""
