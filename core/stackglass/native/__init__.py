"""The engine's extension modules in C: ``_core``, and ``_flight`` for flight recorders."""
