"""Icons, themes, protocol schemas and demo programs."""
