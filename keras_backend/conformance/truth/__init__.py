"""The right answers, computed in plain NumPy, in other ways than any engine computes them."""
