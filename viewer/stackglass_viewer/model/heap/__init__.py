"""Heap profile of a session: buckets, their history, snapshots, tables and differences."""
