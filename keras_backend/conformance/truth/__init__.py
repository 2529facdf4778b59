"""What the right answers are, computed in plain NumPy and by other means than any engine uses."""
