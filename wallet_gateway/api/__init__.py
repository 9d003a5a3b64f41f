"""The JSON door: what a page's script may ask.

A view reads its input, makes one call, and answers; it decides nothing.
"""
