"""Walk-through of the most common tasks, with real mouse and keyboard events in real windows.

    a display of its own (Xvfb) ── X events ──▶ the window, as users start it
            ▲                                        │ accessible names and places
            └── xdotool ◀── hands ◀── a task ◀── eyes ┘

A task knows what a user sees: names of controls as a screen reader speaks them, and their places.
It clicks and types there, and then checks the texts of the window. So a task fails if a control is
off the screen, covered, too small or without a name.
"""
