"""Reports: what commands print of a profile, as lines of text and as JSON. No Qt."""
