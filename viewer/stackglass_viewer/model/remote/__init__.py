"""Servers with ``/debug/pprof/`` pages: their addresses, their lists of profiles, one request."""
