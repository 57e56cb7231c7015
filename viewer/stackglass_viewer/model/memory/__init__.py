"""Memory of a process over time, as the timeline shows it."""
