"""The controls and numbers of a live capture."""
