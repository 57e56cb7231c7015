"""The document of a tab: its choices, selection and search, and the scenes that views draw."""
