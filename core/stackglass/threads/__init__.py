"""Every thread, asyncio task and greenlet of a process: requested from the engine, as text."""
