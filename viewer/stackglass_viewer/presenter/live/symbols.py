"""Names of machine code for all captures of the window: one helper process, started when needed."""

from __future__ import annotations

from stackglass.symbols.process import SymbolProcess

SYMBOLS = SymbolProcess()
"""Ended by the application, and by its own input where that dies."""
