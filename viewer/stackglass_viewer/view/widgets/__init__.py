"""General widgets without knowledge of profiles: theme, icons, buttons, labels, menus."""
