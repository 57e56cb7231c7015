"""The tab of a process: its capture, refreshes and timeline."""
