"""K.function: what runs nodes."""
