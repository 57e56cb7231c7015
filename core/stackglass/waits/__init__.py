"""Who waits for whom in a process, without a viewer: asking the engine, and telling it in words."""
