"""Functions that a file holds as Python's byte code: read, checked and interpreted, never run.

`load` makes a function of K from the text of a `Lambda` layer. Nothing here uses `marshal`, `exec`, `eval` or `pickle`.
"""
