"""Loops: the step, and what makes their gradients cheap."""
