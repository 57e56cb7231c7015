"""The window: its menus and tabs, and the page of a tab with bars, graphs and tables."""
