"""Writers of other tools' formats for profiles: one module for each format."""
