"""Import and export deposits that were paid through an earlier provider."""
