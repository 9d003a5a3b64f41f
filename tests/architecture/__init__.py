"""What holds for every file: arrows, names, heads, sizes and the things that must not be written."""
