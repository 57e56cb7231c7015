"""Waits-for snapshots of a process, without a viewer: requested of the engine, printed as text."""
