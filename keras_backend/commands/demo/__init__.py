"""`python -m keras_backend demo`: a network written with K alone learns to read digits.

`network.py` is the program. `command.py` is the command. `examples/digits.py` trains the same program.
"""
