"""Every thread and asyncio task of a process: asking the engine, and describing the answer."""
