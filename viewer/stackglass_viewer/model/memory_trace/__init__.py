"""Memory traces: all allocations and frees of a program, and its heap at any moment."""
