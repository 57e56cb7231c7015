"""Commands that print or write what a file holds: pprof's reports, differences, other formats."""
