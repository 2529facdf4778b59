"""The same work on K and on its peers, each in a process of its own: `race` starts them, `python -m peers` is one.

A file `in_*.py` holds all works of one library. A work has the same name, the same data (`data.py`) and the same
numbers in each of them.
"""
