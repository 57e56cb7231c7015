"""What crosses the socket and what a profile file holds: tags, framing, builders."""
