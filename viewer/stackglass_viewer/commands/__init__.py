"""Commands that read a profile and print a report of pprof's, a comparison or another format."""
