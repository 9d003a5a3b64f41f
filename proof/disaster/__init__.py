"""A shop that is restored from an older backup, and two copies that work at one gateway by mistake."""
