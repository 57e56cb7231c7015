"""The pytest plug-in: a profile of each test."""
