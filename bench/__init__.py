"""What the project promises about speed, measured as ratios in one run. No test: a clock is no judge."""
