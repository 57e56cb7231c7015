"""Memory traces: the tab of one, with its map, moments and statistics."""
