"""State of the window without widgets: the tabs (files, live captures, memory traces, servers'
profiles), what each shows, settings, saving, and the tables' item models. QtCore only."""
