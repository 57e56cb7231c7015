"""Profiles of servers: the list of them, repeated fetching of one, and its tab."""
