"""The heap profile: buckets, their history, snapshots, tables and differences."""
