"""`--check` of both launchers: what they read of a program, and the rules about Python and other libraries.

`files` follows a program, `reading` gives text, `python2` and `syntax` give a tree, `uses` gives names in full. `rules`
has the words of findings, `command` is the command, and `report` writes. Each launcher adds the rules about its Keras.
"""
