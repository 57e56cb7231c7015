"""The memory timeline."""
