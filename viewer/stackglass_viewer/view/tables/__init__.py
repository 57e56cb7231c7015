"""Tables that paint their rows themselves."""
