"""Call graph: boxes for functions, arrows for calls."""
