"""The example shop, page by page."""
