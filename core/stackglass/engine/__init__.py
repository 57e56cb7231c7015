"""The profilers, as a program that imports ``stackglass`` sees them."""
