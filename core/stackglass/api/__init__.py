"""The public API: a program's profile of itself."""
