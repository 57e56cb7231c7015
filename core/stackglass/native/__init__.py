"""The one extension of the engine: the hot paths, one C file a concern."""
