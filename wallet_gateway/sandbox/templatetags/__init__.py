"""Template tags of the console's pages."""
