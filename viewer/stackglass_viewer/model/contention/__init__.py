"""The contention profile: buckets, snapshots, tables, wait rate, and the waits-for graph."""
