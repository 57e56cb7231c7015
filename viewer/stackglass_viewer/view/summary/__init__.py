"""Summary: what stands out in a profile, in sentences."""
