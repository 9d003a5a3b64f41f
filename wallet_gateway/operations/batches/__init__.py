"""One operation for many orders or deposits: plan and control a batch, and execute it row by row."""
