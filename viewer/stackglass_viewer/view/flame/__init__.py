"""The flame graph and the sandwich."""
