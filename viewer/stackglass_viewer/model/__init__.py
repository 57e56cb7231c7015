"""Values and pure functions over numpy columns; no Qt."""
