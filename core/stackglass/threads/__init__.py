"""Every thread, asyncio task and greenlet of a process: requested of the engine, as text."""
