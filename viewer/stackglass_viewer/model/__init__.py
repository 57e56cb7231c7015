"""Data of profiles as numpy columns, and pure functions over them. The model does not use Qt."""
