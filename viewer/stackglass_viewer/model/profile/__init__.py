"""Profiles as columns, whatever their format, and operations on them."""
