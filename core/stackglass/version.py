"""The one place that says which Stackglass this is."""

VERSION = "0.1.0"
