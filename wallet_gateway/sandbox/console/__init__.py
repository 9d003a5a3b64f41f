"""The operator's console: pages that list what the gateway stored, and three buttons.

Here: queries for display and their layout. Not here: who may enter (``access``), and what a button changes,
which is a function of another package.
"""
