"""Memory traces: every allocation and free of a program, and its heap at any moment."""
