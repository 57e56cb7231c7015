"""Qt widgets: each paints the state that it is given and emits signals for the user's actions."""

from stackglass_viewer.view.plain_imports import restore_import

restore_import()  # before the first of many imports
