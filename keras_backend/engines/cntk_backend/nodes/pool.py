"""Convolutions."""
BUILDERS, FITS = {}, {}
