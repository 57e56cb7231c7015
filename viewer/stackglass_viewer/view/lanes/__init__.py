"""Over time: lanes of threads, the calls of one of them, a heat map, and the span chosen there."""
