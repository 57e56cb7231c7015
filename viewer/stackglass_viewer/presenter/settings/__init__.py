"""The user's choices, kept or not from one run to the next: rates, sample types, views, colours."""
