"""Call trees, flame graphs, call graphs and function tables, computed from a profile."""
