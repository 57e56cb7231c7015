"""The version of Stackglass, stated only here."""

VERSION = "0.1.0"
