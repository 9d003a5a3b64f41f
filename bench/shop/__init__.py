"""The least shop that can be measured: a bare view, and one that opens a checkout."""
