"""Summary: what stands out, in words."""
