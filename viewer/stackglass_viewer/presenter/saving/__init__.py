"""Live captures written as pprof files."""
