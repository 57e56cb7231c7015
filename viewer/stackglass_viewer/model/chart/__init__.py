"""Charts over time: activity of threads in lanes, calls, heat maps."""
