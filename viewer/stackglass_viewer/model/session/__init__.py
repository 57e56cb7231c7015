"""Session files: all messages of an engine, a profile or a memory trace, in one file."""
