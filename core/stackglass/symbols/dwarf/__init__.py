"""Source lines and inlined calls of machine code, from the DWARF of its files."""
