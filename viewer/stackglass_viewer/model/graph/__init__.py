"""Call trees, flame graphs and function tables, computed from a profile."""
