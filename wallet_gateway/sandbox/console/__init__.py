"""The operator's console: pages that list what the gateway stored, and buttons that make control calls.

Here: queries for display and their layout, and the buttons with their curl lines. Not here: who may enter
(``access``), and what a button changes, which is a call of ``control``.
"""
