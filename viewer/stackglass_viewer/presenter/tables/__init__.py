"""Item models of the tables, and the text of their cells."""
