"""Runs inside each process of a proof and writes down the numbers of a program.

The original has an interpreter of its own, without keras_backend. So this folder needs Python 2.7 or 3.6 and NumPy
only, and the interpreter is given its path: `python prove_witness SETTINGS.json`.
"""
