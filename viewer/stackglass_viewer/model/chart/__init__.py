"""What threads did when: lanes, calls over time, heat maps."""
