"""The tab of a memory trace: its map, moments and statistics."""
