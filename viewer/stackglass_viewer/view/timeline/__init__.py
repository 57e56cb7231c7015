"""The memory timeline: memory and metrics of a live process over time, with markers and spans."""
