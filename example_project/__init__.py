"""The example shop: Lark & Loam, goods for slow mornings, paid for with the wallet."""
