"""Static flame graphs of profiles."""
