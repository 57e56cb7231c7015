"""Writers: a profile as a file of other tools, one format each."""
