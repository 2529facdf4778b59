"""`python -m keras_backend migrate PROGRAM`: the way of one old Keras program into today, in one report.

`what_program` says what the program was written for, `routes` which ways there are. `code` reads a file so that a
change can be certain, `rules` has the changes, `edits` makes them, `notebooks` puts them into cells, `patch`
writes the diff. `report` tells all, `command` is the command. Nothing of the program is run or imported.
"""
