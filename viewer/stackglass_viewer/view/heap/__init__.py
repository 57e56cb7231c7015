"""The heap: its bar, its tables and charts, and the rate button."""
