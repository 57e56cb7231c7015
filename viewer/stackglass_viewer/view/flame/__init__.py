"""The flame graph, and the sandwich: a function between its callers and its callees."""
