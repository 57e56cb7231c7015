"""The extension that only tests have: see README.md."""
