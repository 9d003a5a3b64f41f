"""Databases that fail in the midst of operations: restarts, cut connections, full disks, conflicts."""
