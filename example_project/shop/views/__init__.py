"""The shop's pages, one module per subject."""
