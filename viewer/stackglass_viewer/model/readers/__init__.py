"""Readers of profile files: one module for each format, chosen by a file's first bytes."""
