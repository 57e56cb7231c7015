"""Widgets: they paint what they are given and emit what the user intends."""
