"""Writers of live captures as pprof files."""
