"""The process's memory over time, as the timeline shows it."""
