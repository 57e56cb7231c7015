"""Findings: what stands out in a profile, each with a threshold."""
