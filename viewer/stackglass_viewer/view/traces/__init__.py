"""The view of traces."""
