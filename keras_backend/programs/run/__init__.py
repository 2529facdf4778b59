"""`python -m keras_backend run PROGRAM`: the one door for other people's programs.

`decision` reads a program and says which Keras and which engine it runs on, and what is missing here. `command` is the
command. `cells` runs a notebook inside the process of a launcher, and `magics` says what its magics mean there.
"""
