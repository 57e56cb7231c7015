"""Over time: lanes of threads, the calls of one thread, a heat map, and a chosen span of time."""
