"""A user's own module as an engine: its K functions are a library, whose primitives are these functions or derived."""
