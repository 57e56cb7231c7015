"""Item models of the tables, and their cells as text."""
