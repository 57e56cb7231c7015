"""Messages of the socket and contents of profile files: tags, framing, builders."""
