"""Manual decisions: requests for a second person, approvals, manual resolutions."""
