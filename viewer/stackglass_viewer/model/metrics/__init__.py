"""What a process's threads and tasks did over time, as the timeline shows it."""
