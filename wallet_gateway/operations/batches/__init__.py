"""One operation for many orders or deposits: plan and control a batch, and carry it out row by row."""
