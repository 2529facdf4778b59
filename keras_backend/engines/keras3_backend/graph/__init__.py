"""The graph of the functional API: going through it, gradients, loops, choices."""
