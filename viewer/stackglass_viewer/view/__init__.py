"""Qt widgets: each paints the state that it is given and emits signals for the user's actions."""
