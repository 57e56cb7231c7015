"""Memory traces: memory over time, the heap map, threads, and tables of sites."""
