"""The call graph, which has boxes for functions and arrows for calls, and the call tree."""
