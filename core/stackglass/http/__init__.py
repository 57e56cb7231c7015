"""The endpoints of ``/debug/pprof/``: requests in, responses out."""
