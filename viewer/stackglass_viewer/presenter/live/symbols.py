"""Names of machine code for all captures of the window: one helper process, started when needed."""

from __future__ import annotations

from stackglass.symbols.process import SymbolProcess

SYMBOLS = SymbolProcess()
"""The application ends the process; if the application dies, it ends because its input does."""
