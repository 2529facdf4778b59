"""The names that a function in a file may use: of Python, NumPy, K and TensorFlow, each with its meaning in a table."""
