"""Live session: the tables, samples, call tree and threads that all its profiles share."""
