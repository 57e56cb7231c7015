"""Pictures of every view in both themes, for docs/views.md: see ``make pictures``."""
