"""The template tags of the console's pages."""
