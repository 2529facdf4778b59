"""Updates of variables, those of a few rows included."""
