"""Writers of live captures as pprof files, and the record of what is not saved yet."""
