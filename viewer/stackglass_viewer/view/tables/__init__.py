"""Tables: views that paint whole rows themselves, which is faster than Qt's delegates."""
