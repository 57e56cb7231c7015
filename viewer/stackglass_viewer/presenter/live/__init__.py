"""The tab of a process: capture, refreshing, timeline."""
