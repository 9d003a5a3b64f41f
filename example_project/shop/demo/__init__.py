"""The demo: starting shop and sandbox side by side, and a whole story of payments told without a browser."""
