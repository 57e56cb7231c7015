"""Servers with ``/debug/pprof/`` pages: addresses, lists of profiles, requests."""
