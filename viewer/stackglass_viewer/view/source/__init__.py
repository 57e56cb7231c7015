"""Annotated source: the lines of a file, each with its cost."""
