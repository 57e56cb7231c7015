"""The parts of a live session that every profile of it shares: tables, samples, tree, threads."""
