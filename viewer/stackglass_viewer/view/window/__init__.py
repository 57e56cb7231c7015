"""The window: menus, tabs, and one tab's bars, graph and tables."""
