"""The language a shop and the gateway speak: messages, amounts, codes, errors; the same for both parties.

Pure values live here. What does not: input and output, a clock, settings, Django, and any decision about what
an answer means for an order.
"""
