"""Profiles of servers: the list, a profile that is fetched again and again, its tab."""
