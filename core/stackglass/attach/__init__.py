"""Finding Python processes, entering them, and the client's end of the socket."""
