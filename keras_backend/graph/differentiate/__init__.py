"""K.gradients: what is recorded for a gradient."""
