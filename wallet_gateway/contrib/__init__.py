"""Integrations with other packages, each a few lines long and imported only by shops that use it."""
