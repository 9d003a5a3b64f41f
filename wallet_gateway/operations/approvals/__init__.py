"""Decisions of people: requests for a second person, approvals, manual resolutions."""
