"""Saved sessions: all that an engine sent, in one file."""
