"""The heap's switches, tables and rate."""
