"""The four loops that numpy cannot do at speed: decode, call tree, layout, raster."""
