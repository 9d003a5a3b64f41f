"""The JSON API for the scripts of our pages, and for front ends of a shop's own.

A view reads its input, makes one call, and answers; it decides nothing.
"""
