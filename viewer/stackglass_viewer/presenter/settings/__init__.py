"""What the user chose and what is remembered: rates, sample types, colours, recent files."""
