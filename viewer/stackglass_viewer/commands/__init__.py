"""Commands that read a profile: they print pprof's reports or a comparison, or convert it."""
