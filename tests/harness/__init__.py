"""What the tests are made with: Pythons, targets, snapshots of processes, golden files."""
