"""Recording without a viewer: the session's loop, the child, and what the terminal shows."""
