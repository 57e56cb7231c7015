"""Contention: the bar with its filters, the tables, the charts and the rate button."""
