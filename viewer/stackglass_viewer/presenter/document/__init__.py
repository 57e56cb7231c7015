"""One tab: choices, selection, search, and the scenes that it shows."""
