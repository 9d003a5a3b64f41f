"""The JSON API for the scripts of our pages.

A view reads its input, makes one call, and answers; it decides nothing.
"""
