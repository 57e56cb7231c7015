"""Icons, themes, protocol schemas and demo programs."""

from pathlib import Path

FOLDER = Path(__file__).parent
"""Where these files are. The import of ``importlib.resources`` would delay the start page."""
