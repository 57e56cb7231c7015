"""Contention's switches, tables, charts and rates."""
