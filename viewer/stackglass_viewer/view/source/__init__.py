"""Labels: the table of a key's values, and what is filtered for."""
