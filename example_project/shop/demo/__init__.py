"""The demo: starts shop and sandbox side by side, and runs a scenario of payments without a browser."""
