"""Widgets that know no profile: theme, icons, buttons, labels, menus."""
