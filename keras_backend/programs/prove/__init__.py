"""`python -m keras_backend prove`: whether an old program gives the same numbers on the engines, and as the original.

`programs.py` tells which launcher a program needs, and `originals.py` makes environments with the original. `runs.py`
starts the processes. `prove_witness` runs in each of them and writes down its numbers. `differences.py` reads what it
wrote and compares two records. `proof.py` is the whole and finds the first call of K that differs. `report.py` tells
it.
"""
