"""Parts that tests share: Pythons, targets, snapshots of processes, golden files."""
