"""The most common tasks, done with a real mouse and keyboard in real windows.

    a display of its own (Xvfb) ── X events ──▶ the window, as users start it
            ▲                                        │ accessible names and places
            └── xdotool ◀── hands ◀── a task ◀── eyes ┘

A task knows what a user sees: names of controls as a screen reader says them, and where they are.
It clicks there and types, and then looks whether the window says what it should. So what is off
the screen, covered, too small or without a name cannot be done.
"""
