"""A profile as columns, whatever it was read from."""
