"""Metrics of a process: states of its threads and tasks over time, as the timeline shows them."""
