"""The graph that K builds in, its tensors, what a function reaches of it, and what is fed to it."""
