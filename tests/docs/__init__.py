"""The documentation is run: every block of Python, template and console, in the order a reader meets them."""
