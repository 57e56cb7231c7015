"""Traces: a table of all distinct stacks."""
