"""Every thread and asyncio task of a process: requested of the engine, printed as text."""
