"""Reports: profiles as lines of text and as JSON, for the commands to print. No Qt."""
